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
    static func lockActive(_ id: User.ID, else outcome: some GuardOutcome) -> Statement {
        """
        WITH locked AS MATERIALIZED (
            SELECT FROM users WHERE id = \(id) AND status = 'active' FOR NO KEY UPDATE)
        SELECT require(EXISTS (SELECT FROM locked), \(outcome))
        """
    }

    /// As `lockActive`, for one by whose invite somebody comes: it must not be frozen either.
    static func lockInviting(_ id: User.ID, else outcome: some GuardOutcome) -> Statement {
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
}

/// Who may be seen.
extension UserStore {
    /// The rule: a suspended or deleted user looks to others like one who never was.
    /// - Parameter u: the name of the row in the statement, with a point.
    static func isVisible(_ u: Statement = "u.") -> Statement {
        "\(u)status = 'active'"
    }

    /// Makes `seen`, of those among some users who may be seen: `id`, `uid`, `username` and `display_name`.
    /// - Parameters:
    ///   - list: a table or another `WITH`.
    ///   - id: its column that names the users.
    static func seen(in list: Statement, by id: Statement) -> Statement {
        """
        seen AS MATERIALIZED (
            SELECT u.id, u.uid, u.username, u.display_name FROM \(list) JOIN users u ON u.id = \(list).\(id)
            WHERE \(isVisible()))
        """
    }
}

extension User.Profile {
    /// From the columns uid, username and display name.
    init(row: inout Row) throws {
        try self.init(uid: row.next(), username: row.next(), displayName: row.next())
    }

    /// From the same columns; nil if they are NULL, because nobody is to see this user.
    init?(seen row: inout Row) throws {
        let (uid, username, displayName): (String?, String?, String?) = try (
            row.next(), row.next(), row.next()
        )
        guard let uid, let username else { return nil }
        self.init(uid: uid, username: username, displayName: displayName)
    }
}

extension User.ID: PostgresEncodable {
    var bind: Bind { uuid.bind }
}

extension User.UID: PostgresEncodable {
    var bind: Bind { text.bind }
}
