import Foundation
import Postgres

/// Every statement on `users` that is nobody else's.
struct UserStore: Sendable {
    var db: Database

    func find(_ id: User.ID) async throws -> User? {
        try await db.read.first(
            """
            SELECT uid, username, display_name, status, created_at
            FROM users WHERE id = \(id)
            """
        ) { row in
            try User(
                id: id, uid: User.UID(stored: row.next()), username: row.next(), displayName: row.next(),
                status: User.Status(rawValue: row.next()) ?? .deleted, createdAt: row.next())
        }
    }

    /// Locks the row of an active user until the transaction ends, or ends the batch with `outcome`.
    /// Whoever changes relationships takes these locks first, the smaller id before the greater.
    static func lockActive(_ id: User.ID, else outcome: String) -> Statement {
        """
        WITH locked AS MATERIALIZED (
            SELECT FROM users WHERE id = \(id) AND status = 'active' FOR NO KEY UPDATE)
        SELECT require(EXISTS (SELECT FROM locked), \(outcome))
        """
    }

    /// As `lockActive`, for one by whose invite somebody comes: it must not be frozen either.
    static func lockInviting(_ id: User.ID, else outcome: String) -> Statement {
        """
        WITH locked AS MATERIALIZED (
            SELECT FROM users WHERE id = \(id) AND status = 'active' AND frozen_at IS NULL FOR NO KEY UPDATE)
        SELECT require(EXISTS (SELECT FROM locked), \(outcome))
        """
    }

    /// Locks the row of a user until the transaction ends, where there is one.
    static func lock(_ id: User.ID) -> Statement {
        "SELECT FROM users WHERE id = \(id) FOR NO KEY UPDATE"
    }

    /// Goes first where a batch locks rows and later updates their table: an import, which lets the locks
    /// through and not the update, would wait for the rows, and the update for the import.
    static let waitForImports: Statement =
        "LOCK TABLE users, usernames, username_periods, relationships IN ROW EXCLUSIVE MODE"

    /// The name they have already is no change. Throws `DisplayNameCoolingDown`, or `AccountRefusal.inactive`.
    func setDisplayName(_ name: String?, of id: User.ID, timesADay: Int) async throws {
        let limit = Int32(timesADay)
        do {
            try await db.write.with(key: id).batch([
                Self.waitForImports,
                """
                WITH me AS MATERIALIZED (
                    SELECT display_name IS NOT DISTINCT FROM \(name) AS is_same,
                           display_names_at[\(limit)] > now() - interval '1 day' AS is_spent
                    FROM users WHERE id = \(id) AND status = 'active' FOR NO KEY UPDATE)
                SELECT require(outcome IS NULL, outcome)
                FROM (SELECT CASE WHEN me.is_same IS NULL THEN 'account_inactive'
                                  WHEN me.is_same THEN 'unchanged'
                                  WHEN me.is_spent THEN 'too_often' END AS outcome
                      FROM (SELECT) one LEFT JOIN me ON true) judged
                """,
                """
                UPDATE users SET display_name = \(name), changed_in = pg_current_xact_id(),
                                 display_names_at = (array_prepend(now(), display_names_at))[1:\(limit)]
                WHERE id = \(id)
                """,
                FriendStore.tellNames(of: id),
            ])
        } catch let error as PostgresError where error.unmet == "unchanged" {
            return
        } catch let error as PostgresError where error.unmet == "too_often" {
            throw DisplayNameCoolingDown(seconds: try await waitForDisplayName(of: id, limit))
        } catch let error as PostgresError {
            throw error.unmet.flatMap(AccountRefusal.init(rawValue:)) ?? error
        }
    }

    private func waitForDisplayName(of id: User.ID, _ limit: Int32) async throws -> Int {
        try await db.read.first(
            """
            SELECT ceil(extract(epoch FROM display_names_at[\(limit)] + interval '1 day' - now()))::bigint
            FROM users WHERE id = \(id)
            """
        ) { max(1, try $0.next(as: Int?.self) ?? 1) } ?? 1
    }
}

/// The display name was changed as often as a day allows; the next change is possible in so many seconds.
struct DisplayNameCoolingDown: Error {
    var seconds: Int
}

extension User.ID: PostgresEncodable {
    var bind: Bind { uuid.bind }
}

extension User.UID: PostgresEncodable {
    var bind: Bind { text.bind }
}
