import Counts
import Foundation
import Postgres

/// How visits are taken to be counted.
extension ClickStore {
    /// Returns the visits that wait, oldest first.
    func waiting(_ most: Int) async throws -> [WaitingClick] {
        try await db.bulk.ofPrimary.query(
            """
            SELECT seq, link, event, platform, parts, trace, \(policy.day(of: "at"))::text, at
            FROM clicks ORDER BY seq LIMIT \(most)
            """
        ) { row in
            let (seq, link) = try (row.next(as: Int64.self), ClickedLink(text: row.next()))
            let (event, platform) = try (row.next(as: String.self), row.next(as: String.self))
            var parts = try row.next(as: String?.self).map(ClickParts.values) ?? [:]
            parts[.platform] = platform
            return try WaitingClick(
                seq: seq, link: link, event: Click.Event(rawValue: event) ?? .page, parts: parts,
                trace: row.next(), day: row.next(), at: row.next())
        }
    }

    /// Returns the visits among these that opened somebody's invite.
    func shared(_ clicks: [WaitingClick]) async throws -> [SharedInvite] {
        let visits = clicks.filter { $0.event.statistics.contains(.click) && $0.link.owner != nil }
        guard !visits.isEmpty else { return [] }
        let links = Array(Set(visits.map(\.link)))
        let joined = try await db.bulk.ofPrimary.query(
            "SELECT id, created_at, \(policy.day(of: "created_at"))::text FROM users WHERE id = ANY(\(links.compactMap(\.owner)))"
        ) { row in
            try (row.next(as: UUID.self), (at: row.next(as: Date.self), day: row.next(as: String.self)))
        }
        let owners = Dictionary(uniqueKeysWithValues: joined)
        var opened = try await Set(
            db.bulk.ofPrimary.query(
                """
                SELECT subject FROM counts
                WHERE subject = ANY(\(links.map(\.text))) AND measure = \(SharedInvite.first)
                """
            ) { try $0.next(as: String.self) })
        return visits.compactMap { visit in
            guard let owner = visit.link.owner.flatMap({ owners[$0] }) else { return nil }
            return SharedInvite(
                link: visit.link, seconds: visit.at.timeIntervalSince(owner.at), joinedOn: owner.day,
                day: visit.day,
                isFirst: opened.insert(visit.link.text).inserted)
        }
    }

    /// Returns the statement that takes visits away, which are counted in the same transaction.
    static func take(_ seqs: [Int64]) -> Statement { "DELETE FROM clicks WHERE seq = ANY(\(seqs))" }
}
