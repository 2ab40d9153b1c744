import Counts
import Events
import Foundation
import Kernel
import Postgres
import Web

/// Reads events for being counted, and what other tables say of them.
struct CountedEventStore: Sendable {
    let db: Database
    let policy: CountPolicy
    let domains: [LinkDomain]

    /// Returns the events after a number, the number of the last one, and whether there may be more. Nil if
    /// there is none.
    func read(after id: Int64, limit: Int) async throws -> (
        events: [CountedEvent], last: Int64, isFull: Bool
    )? {
        var (last, count): (Int64?, Int) = (nil, 0)
        var events = try await lane.query(
            """
            SELECT id, user_id, type, other_id, facts, \(policy.day(of: "at"))::text, at
            FROM events WHERE id > \(id) ORDER BY id LIMIT \(limit)
            """
        ) { row -> CountedEvent? in
            last = try row.next()
            count += 1
            let (user, type, other) = try (
                row.next(as: UUID.self), row.next(as: String.self), row.next(as: UUID?.self)
            )
            let (facts, day) = try (row.next(as: String?.self), row.next(as: String.self))
            let at = try row.next(as: Date.self)
            guard let kind = Event.Kind(rawValue: type) else { return nil }
            return CountedEvent(
                kind: kind, user: user, other: other, facts: facts.map(EventStore.facts) ?? [:], day: day,
                at: at, domains: domains)
        }
        .compactMap(\.self)
        guard let last else { return nil }
        let mirrors = try await mirrors(of: events)
        for place in events.indices {
            let event = events[place]
            events[place].hasMirror =
                event.other.map { mirrors.contains(Telling(user: $0, other: event.user, at: event.at)) }
                ?? false
        }
        try await JoiningStore(lane: lane, policy: policy).addJoinings(to: &events)
        return (events, last, count == limit)
    }

    private var lane: Lane { db.bulk.ofPrimary }

    /// Who is told of the end of a friendship with whom, and when it was.
    private struct Telling: Hashable {
        let user: UUID
        let other: UUID
        let at: Date
    }

    /// Returns who else is told, for events that are not the first of two.
    private func mirrors(of events: [CountedEvent]) async throws -> Set<Telling> {
        let others = Set(events.filter { $0.kind == .friendEnded && !$0.isFirst }.compactMap(\.other))
        guard !others.isEmpty else { return [] }
        var found: Set<Telling> = []
        // The outbox first: an event may leave it for the other table meanwhile.
        for table in ["outbox", "events"] as [Statement] {
            found.formUnion(
                try await lane.query(
                    """
                    SELECT user_id, other_id, at FROM \(table)
                    WHERE user_id = ANY(\(Array(others))) AND type = \(Event.Kind.friendEnded.rawValue)
                      AND other_id IS NOT NULL
                    """
                ) { try Telling(user: $0.next(), other: $0.next(), at: $0.next()) })
        }
        return found
    }
}
