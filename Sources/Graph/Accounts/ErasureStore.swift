import Events
import Foundation
import Kernel
package import Postgres

/// Reads what `KITH_ERASURE_LOG` must contain.
package struct ErasureStore: Sendable {
    package let db: Database

    package init(db: Database) {
        self.db = db
    }

    /// Returns which accounts were deleted, by events of some numbers, oldest first.
    func deletions(after: Int64, through last: Int64, limit: Int) async throws -> [Erasure] {
        try await db.lists.ofPrimary.query(
            """
            SELECT id, user_id, at FROM events
            WHERE id > \(after) AND id <= \(last) AND type = \(Event.Kind.userDeleted.rawValue) ORDER BY id LIMIT \(limit)
            """
        ) {
            let id: Int64 = try $0.next()
            return try Erasure(deleted: User.ID($0.next()), event: id, at: $0.next())
        }
    }

    /// Returns which keys were revoked.
    func revocations() async throws -> [Erasure] {
        try await db.lists.ofPrimary.query(
            "SELECT id, revoked_at FROM api_keys WHERE revoked_at IS NOT NULL ORDER BY revoked_at"
        ) { try Erasure(revoked: $0.next(), at: $0.next()) }
    }

    /// Whether there is a key of this id, in force or not.
    func hasKey(_ id: String) async throws -> Bool {
        try await db.read.first("SELECT 1 FROM api_keys WHERE id = \(id)") { try $0.next(as: Int.self) }
            != nil
    }
}
