import Counts
import Foundation
import Postgres

/// How visits are taken to be counted.
extension ClickStore {
    /// Returns the visits that wait, oldest first.
    func waiting(_ most: Int) async throws -> [WaitingClick] {
        try await db.bulk.ofPrimary.query(
            """
            SELECT seq, link, event, platform, parts, trace, \(policy.day(of: "at"))::text
            FROM clicks ORDER BY seq LIMIT \(most)
            """
        ) { row in
            let (seq, link) = try (row.next(as: Int64.self), ClickedLink(text: row.next()))
            let (event, platform) = try (row.next(as: String.self), row.next(as: String.self))
            var parts = try row.next(as: String?.self).map(ClickParts.values) ?? [:]
            parts[.platform] = platform
            return try WaitingClick(
                seq: seq, link: link, event: Click.Event(rawValue: event) ?? .page, parts: parts,
                trace: row.next(), day: row.next())
        }
    }

    /// Returns the statement that takes visits away, which are counted in the same transaction.
    static func take(_ seqs: [Int64]) -> Statement { "DELETE FROM clicks WHERE seq = ANY(\(seqs))" }
}
