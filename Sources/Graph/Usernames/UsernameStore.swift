import Foundation
package import Kernel
package import Postgres
import Web

/// Why the batch of a username ended.
package enum UsernameOutcome: String, GuardOutcome {
    case taken = "username_taken"
    case changedMeanwhile = "changed_meanwhile"
}

/// Every statement on `usernames` and `username_periods`.
package struct UsernameStore: Sendable {
    package var db: Database
    package var policy: UsernamePolicy

    package init(db: Database, policy: UsernamePolicy) {
        self.db = db
        self.policy = policy
    }

    /// Returns the user who has or last had a name, and whether it can be claimed. Nil if nobody ever had it.
    func registration(of key: Username.Key) async throws -> (owner: User.ID?, claimable: Bool)? {
        try await db.read.first(
            """
            SELECT user_id, state = 'released' OR coalesce(held_until < now(), false)
            FROM usernames WHERE name_key = \(key)
            """
        ) { try ($0.next(as: UUID?.self).map(User.ID.init), $0.next()) }
    }

    /// Takes the name if it is free, the user's own, or no longer held or reserved. Otherwise ends the batch
    /// with `username_taken`.
    package static func claim(_ key: Username.Key, for user: User.ID) -> Statement {
        """
        WITH claim AS (
            INSERT INTO usernames (name_key, user_id, state) VALUES (\(key), \(user), 'active')
            ON CONFLICT (name_key) DO UPDATE
            SET user_id = excluded.user_id, state = 'active', held_until = NULL, changed_at = excluded.changed_at
            WHERE usernames.user_id = excluded.user_id OR usernames.state = 'released'
               OR usernames.held_until < excluded.changed_at
            RETURNING 1)
        SELECT require(EXISTS (SELECT FROM claim), \(UsernameOutcome.taken))
        """
    }

    package static func openPeriod(of username: Username, for user: User.ID) -> Statement {
        """
        INSERT INTO username_periods (user_id, name_key, username)
        VALUES (\(user), \(username.key), \(username.text))
        """
    }

    package func history(of user: User.ID) async throws -> UsernameHistory {
        let lists = db.lists.with(key: user)
        var history = try UsernameHistory(periods: await lists.rows(Self.periods(of: user)), held: [])
        let held = try await lists.query(
            """
            SELECT name_key FROM usernames
            WHERE name_key = ANY(\(history.periods.map(\.key.text))) AND user_id = \(user)
              AND state = 'held' AND held_until >= \(history.readAt)
            """
        ) { try Username.Key(of: $0.next()) }
        history.held = Set(held)
        return history
    }

    /// Returns a statement for the names that a user has had, oldest first, and the time.
    static func periods(of user: User.ID) -> Statement {
        """
        SELECT name_key, username, valid_from, valid_to, severed, now()
        FROM username_periods WHERE user_id = \(user)
        ORDER BY valid_from, valid_to NULLS LAST
        """
    }

    /// Returns the users who have these names now.
    func owners(of names: [Username.Key], for user: User.ID) async throws -> [Username.Key: User.ID] {
        let rows = try await db.lists.with(key: user).query(
            """
            SELECT name_key, user_id FROM usernames
            WHERE name_key = ANY(\(names.map(\.text))) AND state = 'active'
            """
        ) { try (Username.Key(of: $0.next()), User.ID($0.next())) }
        return Dictionary(uniqueKeysWithValues: rows)
    }

    /// Returns the names that a user has had, newest first.
    func periods(of user: User.ID, after cursor: Cursor?, limit: Int) async throws
        -> ListPage<UsernameHistory.Period>
    {
        let (from, key) = (cursor?.at ?? .distantFuture, cursor?.parts.dropFirst().joined(separator: "|"))
        let rows = try await db.lists.with(key: user).query(
            """
            SELECT name_key, username, valid_from, valid_to, severed
            FROM username_periods
            WHERE user_id = \(user) AND valid_from <= \(from) AND (valid_from < \(from) OR name_key < \(key))
            ORDER BY valid_from DESC, name_key DESC LIMIT \(limit + 1)
            """, UsernameHistory.Period.init(row:))
        return ListPage(rows.map { (cursor: Cursor(at: $0.from, id: $0.key.text), item: $0) }, limit: limit)
    }
}

/// What must still hold for a name when an invite by it is written.
package enum NameProof: Sendable {
    /// The user had the name, and links with it redirect.
    case forwards
    /// The user did not sever the name. They may have had it only in another system.
    case unsevered
    /// The name is the user's current one.
    case current
}

extension UsernameStore {
    /// Ends the batch with `outcome` if the proof does not hold. An earlier statement must have locked the
    /// user, so that this one sees the last rename, and no other can commit before the batch does.
    package static func require(
        _ name: Username.Key, _ proof: NameProof, of user: User.ID, else outcome: some GuardOutcome
    ) -> Statement {
        switch proof {
        case .forwards, .unsevered:
            """
            SELECT require(coalesce((
                SELECT NOT severed FROM username_periods WHERE user_id = \(user) AND name_key = \(name)
                ORDER BY valid_from DESC LIMIT 1), \(proof == .unsevered)), \(outcome))
            """
        case .current:
            """
            SELECT require(EXISTS (
                SELECT FROM username_periods
                WHERE user_id = \(user) AND name_key = \(name) AND valid_to IS NULL), \(outcome))
            """
        }
    }
}

extension UsernameHistory {
    /// - Parameter rows: the rows of `UsernameStore.periods`.
    init(periods rows: Rows, held: Set<Username.Key>) throws {
        var readAt = Date()
        periods = try rows.map { row in
            let period = try Period(row: &row)
            readAt = try row.next()
            return period
        }
        self.held = held
        self.readAt = readAt
    }
}

extension UsernameHistory.Period {
    fileprivate init(row: inout Row) throws {
        try self.init(
            key: Username.Key(of: row.next()), username: row.next(), from: row.next(), to: row.next(),
            severed: row.next())
    }
}

extension Username.Key: PostgresEncodable {
    package var bind: Bind { text.bind }
}
