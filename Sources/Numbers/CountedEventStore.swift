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
        let rows = try await lane.query(
            """
            SELECT id, user_id, type, other_id, facts, \(policy.day(of: "at"))::text, at,
                   at > now() - \(Self.patience) * interval '1 second'
            FROM events WHERE id > \(id) ORDER BY id LIMIT \(limit)
            """
        ) { row in try Read(row: &row) }
        // A newer server, which began or is about to, knows what to count of the first one that waits for it.
        let known = rows.prefix { $0.event != nil || !$0.isNew }
        guard let (first, last) = known.first.map({ ($0.id, known.last?.id ?? $0.id) }) else { return nil }
        var events = known.compactMap(\.event)
        let mirrors = try await mirrors(of: events, from: first, to: last)
        for place in events.indices {
            let event = events[place]
            events[place].domains = domains
            events[place].hasMirror =
                event.other.map { mirrors.contains(Telling(user: $0, other: event.user, at: event.at)) }
                ?? false
        }
        try await JoiningStore(lane: lane, policy: policy).addJoinings(to: &events)
        return (events, last, known.count == limit)
    }

    /// Returns for how many seconds the first event after a number has waited. Nil if there is none.
    func lag(after id: Int64) async throws -> Double? {
        try await lane.first(
            "SELECT extract(epoch FROM now() - at)::float8 FROM events WHERE id > \(id) ORDER BY id LIMIT 1"
        ) { try $0.next() }
    }

    /// For how many seconds events of which this server knows nothing wait for one that does. Afterwards they
    /// count for nothing: a newer version may have been taken back.
    private static let patience = 3600.0

    private struct Read {
        var id: Int64
        /// Nil if only a later version knows it.
        var event: CountedEvent?
        var isNew: Bool

        init(row: inout Row) throws {
            id = try row.next()
            let (user, type, other) = try (
                row.next(as: UUID.self), row.next(as: String.self), row.next(as: UUID?.self)
            )
            let (facts, day) = try (row.next(as: String?.self), row.next(as: String.self))
            let at = try row.next(as: Date.self)
            isNew = try row.next()
            event = Event.Kind(rawValue: type).map { kind in
                CountedEvent(
                    kind: kind, user: user, other: other, facts: facts.map(EventStore.facts) ?? [:], day: day,
                    at: at)
            }
        }
    }

    private var lane: Lane { db.bulk.ofPrimary }

    /// Who is told of the end of a friendship with whom, and when it was.
    private struct Telling: Hashable {
        let user: UUID
        let other: UUID
        let at: Date
    }

    /// Returns who else is told, for events that are not the first of two. One transaction tells both, so
    /// they get their numbers, which are times, within a minute.
    private func mirrors(
        of events: [CountedEvent], from first: Int64, to last: Int64
    ) async throws -> Set<Telling> {
        let others = Set(events.filter { $0.kind == .friendEnded && !$0.isFirst }.compactMap(\.other))
        guard !others.isEmpty else { return [] }
        let minute: Int64 = 60_000_000
        let ended: Statement = """
            user_id = ANY(\(Array(others))) AND type = \(Event.Kind.friendEnded.rawValue) AND other_id IS NOT NULL
            """
        var found: Set<Telling> = []
        // The outbox first: an event may leave it for the other table meanwhile.
        for told in [
            "outbox WHERE \(ended)",
            "events WHERE \(ended) AND id BETWEEN \(first - minute) AND \(last + minute)",
        ] as [Statement] {
            found.formUnion(
                try await lane.query("SELECT user_id, other_id, at FROM \(told)") {
                    try Telling(user: $0.next(), other: $0.next(), at: $0.next())
                })
        }
        return found
    }
}
