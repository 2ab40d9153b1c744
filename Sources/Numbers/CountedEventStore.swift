import Counts
import Events
import Foundation
import Postgres
import Web

/// Reads events for being counted, and what other tables say of them.
struct CountedEventStore: Sendable {
    let db: Database
    let policy: CountPolicy

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
                at: at)
        }
        .compactMap(\.self)
        guard let last else { return nil }
        let (invited, kinds) = try await (invited(among: events), kinds(of: events))
        let (mirrors, gone) = try await (mirrors(of: events), deleted(among: events))
        for place in events.indices {
            let event = events[place]
            events[place].isByInvite =
                event.other.map { other in
                    invited.contains([event.user, other]) || invited.contains([other, event.user])
                } ?? false
            events[place].hasMirror =
                event.other.map { mirrors.contains(Telling(user: $0, other: event.user, at: event.at)) }
                ?? false
            events[place].isGone = gone.contains(event.user)
            events[place].kindOfCode = event.facts["code"]?.text.flatMap { kinds[$0] }
        }
        return (events, last, count == limit)
    }

    private var lane: Lane { db.bulk.ofPrimary }

    /// Returns the pairs of new friends of whom the first signed up by an invite of the second.
    private func invited(among events: [CountedEvent]) async throws -> Set<[UUID]> {
        let users = Set(events.filter { $0.kind == .friendCreated }.map(\.user))
        guard !users.isEmpty else { return [] }
        return Set(
            try await lane.query(
                "SELECT invitee_id, inviter_id FROM acceptances WHERE invitee_id = ANY(\(Array(users)))"
            ) { try [$0.next(), $0.next()] })
    }

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

    /// Returns the inviters who have deleted their accounts, of whom nothing is counted.
    private func deleted(among events: [CountedEvent]) async throws -> Set<UUID> {
        let users = Set(events.filter { $0.kind == .inviteUsed }.map(\.user))
        guard !users.isEmpty else { return [] }
        return Set(
            try await lane.query(
                "SELECT id FROM users WHERE id = ANY(\(Array(users))) AND status = 'deleted'"
            ) { try $0.next() })
    }

    private func kinds(of events: [CountedEvent]) async throws -> [String: String] {
        let codes = Set(events.filter { $0.kind == .inviteUsed }.compactMap { $0.facts["code"]?.text })
        guard !codes.isEmpty else { return [:] }
        let rows = try await lane.query("SELECT code, kind FROM invites WHERE code = ANY(\(Array(codes)))") {
            try ($0.next(as: String.self), $0.next(as: String.self))
        }
        return Dictionary(uniqueKeysWithValues: rows)
    }
}
