import Foundation
package import Kernel
package import Postgres
import Web

/// What offers store about a user.
extension OfferStore: UserDataStore {
    /// Removes the user from their codes. The codes stay dealt: nobody else gets one that somebody knows.
    package static func forget(_ user: User.ID) -> [Statement] {
        ["UPDATE offer_codes SET user_id = NULL WHERE user_id = \(user)"]
    }

    /// Writes what was dealt, but not the codes, which `POST /v1/me/offers/{campaign}` shows.
    package static func export(into document: inout ExportDocument) async throws {
        try await document.list("offers") { reader, cursor in
            try await reader.part(
                """
                SELECT dealt_at, campaign, expires_at FROM offer_codes
                WHERE user_id = \(reader.user) AND dealt_at >= \(cursor?.at ?? .distantPast)
                  AND (dealt_at > \(cursor?.at ?? .distantPast) OR campaign > \(cursor?.key ?? ""))
                ORDER BY dealt_at, campaign LIMIT \(reader.rows)
                """
            ) { row, cursor in
                try Exported(campaign: cursor.key, at: cursor.at, expiresAt: row.next())
            }
        }
    }

    private struct Exported: Encodable, Sendable {
        var campaign: String
        var at: Date
        var expiresAt: Date
    }
}
