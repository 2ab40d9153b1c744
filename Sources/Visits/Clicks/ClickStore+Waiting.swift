import Counts
import Foundation
import Postgres

/// How visits are taken to be counted.
extension ClickStore {
    /// Returns the visits that wait, oldest first. Events that only a later version knows wait for it.
    /// - Parameter first: the number with which to begin.
    func waiting(_ most: Int, from first: Int64) async throws -> [WaitingClick] {
        try await db.bulk.ofPrimary.query(
            """
            SELECT seq, link, event, platform, parts, trace, \(policy.day(of: "at"))::text, at
            FROM clicks WHERE \(Self.waits(from: first)) ORDER BY seq LIMIT \(most)
            """
        ) { row -> WaitingClick? in
            let (seq, link) = try (row.next(as: Int64.self), ClickedLink(text: row.next()))
            let (event, platform) = try (row.next(as: String.self), row.next(as: String.self))
            var parts = try row.next(as: String?.self).map(ClickParts.values) ?? [:]
            parts[.platform] = platform
            guard let event = Click.Event(rawValue: event) else { return nil }
            return try WaitingClick(
                seq: seq, link: link, event: event, parts: parts,
                trace: row.next(), day: row.next(), at: row.next())
        }
        .compactMap(\.self)
    }

    private static func waits(from first: Int64) -> Statement {
        "seq >= \(first) AND event = ANY(\(Click.Event.allCases.map(\.rawValue)))"
    }

    /// Returns for how many seconds the first visit from a number on has waited. Nil if none waits.
    func lag(from first: Int64) async throws -> Double? {
        try await db.bulk.ofPrimary.first(
            "SELECT extract(epoch FROM now() - at)::float8 FROM clicks WHERE \(Self.waits(from: first)) ORDER BY seq LIMIT 1"
        ) { try $0.next() }
    }

    /// Somebody whose invites were visited.
    struct Owner: Sendable {
        var joinedAt: Date
        var joinedOn: String
        /// Whether they have deleted their account since.
        var isGone: Bool
    }

    /// Returns whose invites these visits are of.
    func owners(of clicks: [WaitingClick]) async throws -> [UUID: Owner] {
        let ids = Set(clicks.compactMap(\.link.owner))
        guard !ids.isEmpty else { return [:] }
        let owners = try await db.bulk.ofPrimary.query(
            """
            SELECT id, created_at, \(policy.day(of: "created_at"))::text, status = 'deleted' FROM users
            WHERE id = ANY(\(Array(ids)))
            """
        ) { row in
            try (
                row.next(as: UUID.self), Owner(joinedAt: row.next(), joinedOn: row.next(), isGone: row.next())
            )
        }
        return Dictionary(uniqueKeysWithValues: owners)
    }

    /// Returns the visits among these that opened somebody's invite.
    func shared(_ clicks: [WaitingClick], _ owners: [UUID: Owner]) async throws -> [SharedInvite] {
        let visits = clicks.filter { $0.event.statistics.contains(.click) && $0.link.owner != nil }
        guard !visits.isEmpty else { return [] }
        let links = Array(Set(visits.map(\.link)))
        var opened = try await Set(
            db.bulk.ofPrimary.query(
                """
                SELECT subject FROM counts
                WHERE subject = ANY(\(links.map(\.text))) AND measure = \(SharedInvite.first)
                """
            ) { try $0.next(as: String.self) })
        return visits.compactMap { visit in
            guard let owner = visit.link.owner.flatMap({ owners[$0] }), !owner.isGone else { return nil }
            return SharedInvite(
                link: visit.link, seconds: visit.at.timeIntervalSince(owner.joinedAt),
                joinedOn: owner.joinedOn, day: visit.day,
                isFirst: opened.insert(visit.link.text).inserted)
        }
    }

    /// Returns the invites among these of users who have deleted their account, whose sums are gone: somebody
    /// may still have opened them while that went on.
    func gone(among clicks: [WaitingClick], _ owners: [UUID: Owner]) async throws -> Set<String> {
        let gone = owners.filter(\.value.isGone).keys
        guard !gone.isEmpty else { return [] }
        let codes = Set(clicks.map(\.link.text))
        let theirs = try await db.bulk.ofPrimary.query(
            "SELECT code FROM invites_by_owner WHERE owner_id = ANY(\(Array(gone))) AND code = ANY(\(Array(codes)))"
        ) { try $0.next(as: String.self) }
        return Set(theirs + gone.map { ClickedLink.invites(of: $0).text })
    }

    /// Returns the statement that takes visits away, which are counted in the same transaction.
    static func take(_ seqs: [Int64]) -> Statement { "DELETE FROM clicks WHERE seq = ANY(\(seqs))" }
}
