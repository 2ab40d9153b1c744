import Foundation
import Kernel
package import Postgres

/// Reads the account itself, for its export.
package struct ExportStore: Sendable {
    package var db: Database

    package init(db: Database) {
        self.db = db
    }

    /// Returns the account. Nil if there is no such user.
    func export(_ user: User.ID) async throws -> Export? {
        try await db.bulk.with(key: user).first(
            """
            SELECT \(User.Profile.columns()), status, created_at, invites, invite_code, frozen_at
            FROM users WHERE id = \(user)
            """
        ) { row in
            try Export(
                profile: User.Listed(
                    User.Profile(row: &row),
                    Export.Account(
                        status: row.next(), createdAt: row.next(), invites: row.next(),
                        inviteCode: row.next(), invitesFrozenAt: row.next())))
        }
    }
}
