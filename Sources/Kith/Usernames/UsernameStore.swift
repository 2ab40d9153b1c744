import Foundation
import Postgres

/// Every statement on `usernames` and `username_periods`.
struct UsernameStore: Sendable {
    var db: Database
    var policy: UsernamePolicy

    /// Who has or last had a name; nil where nobody ever had it.
    func registration(of key: Username.Key) async throws -> (owner: User.ID?, claimable: Bool)? {
        try await db.read.first(
            """
            SELECT user_id, state = 'released' OR (state = 'held' AND held_until < now())
            FROM usernames WHERE name_key = \(key)
            """
        ) { try ($0.next(as: UUID?.self).map(User.ID.init), $0.next()) }
    }

    /// Takes the name where it is free, the user's own, or no longer held; else the batch ends with
    /// `username_taken`.
    static func claim(_ key: Username.Key, for user: User.ID) -> Statement {
        """
        WITH claim AS (
            INSERT INTO usernames (name_key, user_id, state) VALUES (\(key), \(user), 'active')
            ON CONFLICT (name_key) DO UPDATE
            SET user_id = excluded.user_id, state = 'active', held_until = NULL, changed_at = excluded.changed_at
            WHERE usernames.user_id = excluded.user_id OR usernames.state = 'released'
               OR (usernames.state = 'held' AND usernames.held_until < excluded.changed_at)
            RETURNING 1)
        SELECT require(EXISTS (SELECT FROM claim), 'username_taken')
        """
    }

    static func openPeriod(of username: Username, for user: User.ID) -> Statement {
        """
        INSERT INTO username_periods (user_id, name_key, username)
        VALUES (\(user), \(username.key), \(username.text))
        """
    }

    func history(of user: User.ID) async throws -> UsernameHistory {
        let rows = try await db.read.query(
            """
            WITH periods AS MATERIALIZED (
                SELECT name_key, username, valid_from, valid_to, severed
                FROM username_periods WHERE user_id = \(user))
            SELECT name_key, username, valid_from, valid_to, severed, now(),
                   EXISTS (SELECT FROM usernames n
                           WHERE n.name_key = periods.name_key AND n.user_id = \(user)
                             AND n.state = 'held' AND n.held_until >= now())
            FROM periods ORDER BY valid_from, valid_to NULLS LAST
            """
        ) {
            try (
                UsernameHistory.Period(
                    key: Username.Key(of: $0.next()), username: $0.next(), from: $0.next(), to: $0.next(),
                    severed: $0.next()),
                now: $0.next(as: Date.self), isHeld: $0.next(as: Bool.self)
            )
        }
        return UsernameHistory(
            periods: rows.map(\.0), held: Set(rows.filter(\.isHeld).map(\.0.key)),
            readAt: rows.last?.now ?? Date())
    }

    /// One transaction: leaves the current name, which is then held for the user, and takes the new one.
    ///
    /// Throws `changedMeanwhile` where `current` is no longer the user's, `taken` where the name is
    /// another's.
    func rename(
        _ user: User.ID, from current: UsernameHistory.Period, to new: Username, severing: Bool,
        releasing surplus: [Username.Key]
    ) async throws {
        do {
            try await db.write.with(key: user).batch(
                renaming(user, from: current, to: new, severing: severing, releasing: surplus))
        } catch let error as PostgresError where error.unmet == "username_taken" {
            throw UsernameError.taken
        } catch let error as PostgresError where error.unmet == "changed_meanwhile" {
            throw UsernameError.changedMeanwhile
        }
    }

    private func renaming(
        _ user: User.ID, from current: UsernameHistory.Period, to new: Username, severing: Bool,
        releasing surplus: [Username.Key]
    ) -> [Statement] {
        [
            """
            WITH closed AS (
                UPDATE username_periods SET valid_to = now(), severed = \(severing)
                WHERE user_id = \(user) AND valid_to IS NULL AND valid_from = \(current.from)
                RETURNING 1)
            SELECT require(EXISTS (SELECT FROM closed), 'changed_meanwhile')
            """,
            """
            UPDATE username_periods SET severed = \(severing)
            WHERE user_id = \(user) AND name_key = \(current.key) AND severed <> \(severing)
            """,
            Self.claim(new.key, for: user),
            """
            UPDATE usernames
            SET state = 'held', held_until = now() + \(policy.hold.seconds) * interval '1 second', changed_at = now()
            WHERE name_key = \(current.key) AND user_id = \(user)
            """,
            """
            UPDATE usernames SET state = 'released', held_until = NULL, changed_at = now()
            WHERE name_key = ANY(\(surplus.map(\.text))) AND user_id = \(user) AND state = 'held'
            """,
            Self.openPeriod(of: new, for: user),
            "UPDATE users SET username = \(new.text), changed_in = pg_current_xact_id() WHERE id = \(user)",
            FriendStore.tellNames(of: user),
        ]
    }

    /// Another spelling of the same name: no change, so neither hold nor period nor cool-down.
    func respell(_ user: User.ID, as new: Username) async throws {
        try await db.write.with(key: user).batch([
            """
            UPDATE username_periods SET username = \(new.text)
            WHERE user_id = \(user) AND valid_to IS NULL AND name_key = \(new.key)
            """,
            """
            UPDATE users SET username = \(new.text), changed_in = pg_current_xact_id()
            WHERE id = \(user) AND lower(username) = \(new.key)
            """,
            FriendStore.tellNames(of: user),
        ])
    }
}

extension Username.Key: PostgresEncodable {
    var bind: Bind { text.bind }
}
