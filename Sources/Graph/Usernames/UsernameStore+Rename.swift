import Events
import Foundation
import Kernel
import Postgres

/// Changes usernames. Each batch locks the open period first, then the names, then the user.
extension UsernameStore {
    /// Leaves the current name, which is then held for the user, and takes the new one, in one transaction.
    ///
    /// Throws `changedMeanwhile` if `current` is no longer the user's, `taken` if somebody else has the name,
    /// and `AccountError.inactive`.
    func rename(
        _ user: User.ID, from current: UsernameHistory.Period, to new: Username, severing: Bool,
        releasing surplus: [Username.Key], noting act: OperatorAct? = nil
    ) async throws {
        do {
            try await db.write.with(key: user).batch(
                [UserStore.waitForImports] + Self.leave(current, of: user, severing: severing)
                    + [Self.claim(new.key, for: user), hold(current.key, for: user)]
                    + Self.take(new, after: current, for: user, releasing: surplus)
                    + [
                        EventStore.record(
                            .userRenamed, user,
                            facts: [
                                "from": .text(current.username), "to": .text(new.text),
                                "oldLinks": severing ? "sever" : "forward",
                            ]),
                        FriendStore.copy(user),
                    ] + AuditStore.note(act))
        } catch let error as PostgresError {
            throw Self.refusal(error)
        }
    }

    /// Returns the earliest end of a period. Periods of one user never overlap, even after the database's
    /// clock was set back: then they are short.
    private static func end(of period: UsernameHistory.Period) -> Date { period.from + 0.000_001 }

    private static func leave(_ current: UsernameHistory.Period, of user: User.ID, severing: Bool)
        -> [Statement]
    {
        [
            """
            WITH closed AS (
                UPDATE username_periods SET valid_to = greatest(now(), \(end(of: current))), severed = \(severing)
                WHERE user_id = \(user) AND valid_to IS NULL AND valid_from = \(current.from)
                RETURNING 1)
            SELECT require(EXISTS (SELECT FROM closed), \(UsernameOutcome.changedMeanwhile))
            """,
            """
            UPDATE username_periods SET severed = \(severing)
            WHERE user_id = \(user) AND name_key = \(current.key) AND severed <> \(severing)
            """,
        ]
    }

    private func hold(_ name: Username.Key, for user: User.ID) -> Statement {
        """
        WITH held AS (
            UPDATE usernames
            SET state = 'held', held_until = now() + \(policy.hold.seconds) * interval '1 second', changed_at = now()
            WHERE name_key = \(name) AND user_id = \(user)
            RETURNING 1)
        SELECT require_row(EXISTS (SELECT FROM held), 'current username')
        """
    }

    private static func take(
        _ new: Username, after current: UsernameHistory.Period, for user: User.ID,
        releasing surplus: [Username.Key]
    ) -> [Statement] {
        [
            """
            UPDATE usernames SET state = 'released', held_until = NULL, changed_at = now()
            WHERE name_key = ANY(\(surplus.map(\.text))) AND user_id = \(user) AND state = 'held'
            """,
            """
            INSERT INTO username_periods (user_id, name_key, username, valid_from)
            VALUES (\(user), \(new.key), \(new.text), greatest(now(), \(end(of: current))))
            """,
            UserStore.rename(user, to: new.text, else: AccountError.inactive),
        ]
    }

    /// Changes the spelling of the same name. That is not a rename, so there is no hold, new period or
    /// cool-down, but a daily limit. Throws as `rename` does, or `coolingDown`.
    func respell(_ user: User.ID, as new: Username, noting act: OperatorAct? = nil) async throws {
        let change = DailyChangeStore(
            db: db, times: "spellings_at", limit: Int32(policy.changesPerDay))
        let spell: Statement = """
            WITH spelt AS (
                UPDATE username_periods SET username = \(new.text)
                WHERE user_id = \(user) AND valid_to IS NULL AND name_key = \(new.key)
                RETURNING 1)
            SELECT require(EXISTS (SELECT FROM spelt), \(UsernameOutcome.changedMeanwhile))
            """
        do {
            try await change.set(
                [.init(column: "username", text: new.text)], of: user, after: [spell],
                then: [FriendStore.copy(user)] + AuditStore.note(act))
        } catch let error as DailyLimitError {
            throw UsernameError.coolingDown(seconds: error.seconds)
        } catch let error as PostgresError {
            throw Self.refusal(error)
        }
    }

    private static func refusal(_ error: PostgresError) -> any Error {
        switch error.outcome(UsernameOutcome.self) {
        case .taken: UsernameError.taken
        case .changedMeanwhile: UsernameError.changedMeanwhile
        case nil: error.outcome(among: AccountError.self)
        }
    }
}
