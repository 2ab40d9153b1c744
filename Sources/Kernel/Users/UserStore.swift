package import Foundation
package import Postgres

/// Every statement on `users` that belongs to no other store.
package struct UserStore: Sendable {
    package var db: Database

    package init(db: Database) {
        self.db = db
    }

    package func find(_ id: User.ID) async throws -> User? { try await find(id, db.read) }

    /// Returns the caller's own row. It must be the latest: a standby may not know yet that they signed up,
    /// or were suspended.
    package func findCaller(_ id: User.ID) async throws -> User? { try await find(id, db.read.ofPrimary) }

    private func find(_ id: User.ID, _ lane: Lane) async throws -> User? {
        try await lane.first(
            """
            SELECT \(User.Profile.columns()), status, invites, created_at
            FROM users WHERE id = \(id)
            """
        ) { row in
            try User(
                id: id, profile: User.Profile(row: &row),
                status: User.Status(rawValue: row.next()) ?? .deleted,
                inviting: InviteMode(stored: row.next()), createdAt: row.next())
        }
    }

    /// Returns the uids of the users that exist, for work that is not part of a call.
    package func uids(of users: Set<User.ID>) async throws -> [User.ID: User.UID] {
        let rows = try await db.bulk.query(
            "SELECT id, uid FROM users WHERE id = ANY(\(users.map(\.uuid)))"
        ) { try (User.ID($0.next()), User.UID(stored: $0.next())) }
        return Dictionary(uniqueKeysWithValues: rows)
    }

    /// Returns which of these users have an active account, for work that is not part of a call.
    package func active(_ users: [UUID]) async throws -> Set<UUID> {
        guard !users.isEmpty else { return [] }
        return Set(
            try await db.bulk.ofPrimary.query(
                "SELECT id FROM users WHERE id = ANY(\(users)) AND status = 'active'"
            ) { try $0.next() })
    }

    /// Changes what the user's invites may do from now on. False if the account is no longer active.
    package func set(_ inviting: InviteMode, of id: User.ID) async throws -> Bool {
        try await db.write.first(
            "UPDATE users SET invites = \(inviting.rawValue) WHERE id = \(id) AND status = 'active' RETURNING true"
        ) { try $0.next() } ?? false
    }

    /// Locks the row of an active user until the transaction ends, or ends the batch with `outcome`. Every
    /// change of relationships takes these locks first, the smaller id before the greater.
    package static func lockActive(_ id: User.ID, else outcome: some GuardOutcome) -> Statement {
        """
        WITH locked AS MATERIALIZED (
            SELECT id FROM users WHERE id = \(id) AND status = 'active' FOR NO KEY UPDATE)
        SELECT require(EXISTS (SELECT 1 FROM locked), \(outcome))
        """
    }

    /// Returns SQL for what a user's invites may do.
    /// - Parameter u: the row's alias in the statement, with a dot.
    package static func inviting(_ u: Statement) -> Statement {
        "CASE WHEN \(u)frozen_at IS NULL THEN \(u)invites ELSE 'off' END"
    }

    /// Locks the row of a user, if there is one, until the transaction ends.
    package static func lock(_ id: User.ID) -> Statement {
        "SELECT 1 FROM users WHERE id = \(id) FOR NO KEY UPDATE"
    }

    /// A statement that goes first in a batch that locks rows and later updates their table. Otherwise an
    /// import, which allows row locks but not the update, would wait for the rows, and the update for the
    /// import.
    ///
    /// It shares the lock that an import takes alone before it locks tables. On Citus, `LOCK TABLE` would ask
    /// every node.
    package static let waitForImports: Statement = "SELECT pg_advisory_xact_lock_shared(\(importLock))"

    /// An arbitrary number.
    package static let importLock = 0x6B_69_74_6A
}

/// The visibility of users.
package extension UserStore {
    /// Returns the rule of who may be seen: a suspended or deleted user looks to others like one who never
    /// existed.
    /// - Parameter u: the row's alias in the statement, with a dot.
    static func isVisible(_ u: Statement = "u.") -> Statement {
        "\(u)status = 'active'"
    }

    /// Returns the profiles of those users who may be seen.
    static func profiles(of users: Set<User.ID>, on lane: Lane) async throws -> [User.ID: User.Profile] {
        guard !users.isEmpty else { return [:] }
        let rows = try await lane.query(
            """
            SELECT id, \(User.Profile.columns())
            FROM users WHERE id = ANY(\(users.map(\.uuid))) AND \(isVisible(""))
            """
        ) { try (User.ID($0.next()), User.Profile(row: &$0)) }
        return Dictionary(uniqueKeysWithValues: rows)
    }

    /// Returns the `WITH` query `seen`: `id` and profile of those users of a list who may be seen.
    /// - Parameters:
    ///   - list: a table or another `WITH` query.
    ///   - id: the list's column with the users' ids.
    static func seen(in list: Statement, by id: Statement) -> Statement {
        """
        seen AS MATERIALIZED (
            SELECT u.id, \(User.Profile.columns("u.")) FROM \(list) JOIN users u ON u.id = \(list).\(id)
            WHERE \(isVisible()))
        """
    }
}

package extension User.Profile {
    /// Returns the columns that `init(row:)` reads.
    /// - Parameter u: the alias of the row of `users` in the statement, with a dot.
    static func columns(_ u: Statement = "") -> Statement {
        "\(u)uid, \(u)username, \(u)display_name, \(u)avatar_url, \(u)metadata"
    }

    /// Returns these columns for the pages, which show no metadata.
    static func shown(_ u: Statement = "") -> Statement {
        "\(u)uid, \(u)username, \(u)display_name, \(u)avatar_url, NULL::text"
    }

    /// Returns these columns of a friend, as copied into the row of `relationships`.
    static func copied(_ r: Statement = "") -> Statement {
        "\(r)other_uid, \(r)other_username, \(r)other_display_name, \(r)other_avatar_url, \(r)other_metadata"
    }

    init(row: inout Row) throws {
        try self.init(
            uid: User.UID(stored: row.next()), username: row.next(), displayName: row.next(),
            avatarUrl: row.next(),
            metadata: row.next(as: String?.self).map(User.Metadata.init(stored:)))
    }

    /// Reads these columns. Nil if they are NULL because this user may not be seen.
    init?(seen row: inout Row) throws {
        let (uid, username, displayName): (String?, String?, String?) = try (
            row.next(), row.next(), row.next()
        )
        let (avatarUrl, metadata): (String?, String?) = try (row.next(), row.next())
        guard let uid, let username else { return nil }
        try self.init(
            uid: User.UID(stored: uid), username: username, displayName: displayName, avatarUrl: avatarUrl,
            metadata: metadata.map(User.Metadata.init(stored:)))
    }
}

extension User.ID: PostgresEncodable {
    package var bind: Bind { uuid.bind }
}

extension User.UID: PostgresEncodable {
    package var bind: Bind { text.bind }
}
