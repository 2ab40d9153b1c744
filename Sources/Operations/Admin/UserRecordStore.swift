import Foundation
import Graph
import Kernel
package import Postgres

/// Reads users for operators, whatever their status.
package struct UserRecordStore: Sendable {
    package var db: Database

    package init(db: Database) {
        self.db = db
    }

    func find(_ id: User.ID) async throws -> UserRecord? {
        try await db.bulk.first(
            """
            SELECT uid, username, display_name, status, status_reason, frozen_at, frozen_reason, invites, created_at,
                   history_complete
            FROM users WHERE id = \(id)
            """, UserRecord.init(row:))
    }

    /// Returns those of the users who ever had an account.
    func briefs(_ ids: Set<User.ID>) async throws -> [User.ID: UserRecord.Brief] {
        guard !ids.isEmpty else { return [:] }
        let rows = try await db.bulk.query(
            "SELECT id, uid, username, status FROM users WHERE id = ANY(\(ids.map(\.uuid)))"
        ) { try (User.ID($0.next()), UserRecord.Brief(row: &$0)) }
        return Dictionary(uniqueKeysWithValues: rows)
    }
}

extension UserRecord {
    fileprivate init(row: inout Row) throws {
        uid = try row.next()
        username = try row.next()
        displayName = try row.next()
        status = try row.next()
        if status == User.Status.deleted.rawValue { username = nil }
        statusReason = try row.next()
        let (frozenAt, reason): (Date?, String?) = try (row.next(), row.next())
        if let frozenAt, let reason { frozen = .init(at: frozenAt, reason: reason) }
        invites = try InviteMode(stored: row.next())
        createdAt = try row.next()
        historyComplete = try row.next()
    }
}

extension UserRecord.Brief {
    init(row: inout Row) throws {
        uid = try row.next()
        username = try row.next()
        status = try row.next()
        if status == User.Status.deleted.rawValue { username = nil }
    }
}
