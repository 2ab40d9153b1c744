import Foundation
import Kernel
package import Postgres

/// Reads what is kept about the friendship of two users.
package struct FriendshipAsOfStore: Sendable {
    package var db: Database

    package init(db: Database) {
        self.db = db
    }

    /// Returns it. Nil if one of them never had an account.
    func find(_ one: User.ID, _ other: User.ID) async throws -> FriendshipAsOf? {
        let log = EventLogStore(db: db)
        let created = try await db.bulk.query(
            "SELECT created_at FROM users WHERE id = ANY(\([one.uuid, other.uuid]))"
        ) { try $0.next(as: Date.self) }
        guard created.count == 2, let bothSince = created.max() else { return nil }
        let since = try await db.bulk.first(
            "SELECT since FROM relationships WHERE user_id = \(one) AND other_id = \(other)"
        ) { try $0.next(as: Date?.self) }
        return try await FriendshipAsOf(
            since: since ?? nil, bothSince: bothSince, changes: log.friendship(one, other),
            logBegins: log.begins())
    }
}
