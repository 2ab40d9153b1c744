import Foundation
import Postgres

/// Suspends, restores and deletes accounts, each in one transaction. A second call changes nothing but the reason of a
/// suspension.
struct AccountStore: Sendable {
    var db: Database
    var limits: FriendLimits
    var names = UsernamePolicy()

    /// The username of deleted accounts, which no user can have.
    static let noName = "[deleted]"

    /// Hides the user everywhere and keeps everything. Without a reason, the one of a call before stays. False if the user does not exist or was deleted.
    func suspend(_ user: User.ID, reason: OperatorReason?, noting act: OperatorAct? = nil) async throws
        -> Bool
    {
        try await change(
            user, act, .userSuspended, if: .active,
            """
            UPDATE users SET status = 'suspended',
                             status_reason = coalesce(\(reason?.text),
                                                      CASE WHEN status = 'suspended' THEN status_reason END),
                             revision = revision + (status <> 'suspended')::int
            WHERE id = \(user)
            """)
    }

    /// Why the user is suspended, if that is known.
    func suspensionReason(of user: User.ID) async throws -> String? {
        try await db.read.ofPrimary.first(
            "SELECT status_reason FROM users WHERE id = \(user) AND status = 'suspended'"
        ) { try $0.next(as: String?.self) } ?? nil
    }

    /// Shows the user again as before. False if the user does not exist or was deleted.
    func restore(_ user: User.ID, noting act: OperatorAct? = nil) async throws -> Bool {
        try await change(
            user, act, .userReturned, if: .suspended,
            """
            UPDATE users SET status = 'active', status_reason = NULL, revision = revision + 1
            WHERE id = \(user) AND status = 'suspended'
            """)
    }

    private func change(
        _ user: User.ID, _ act: OperatorAct?, _ event: Event.Kind, if status: User.Status,
        _ statement: Statement
    ) async throws -> Bool {
        do {
            try await db.write.with(key: user).batch(
                [
                    UserStore.waitForImports, Self.lockExisting(user),
                    EventStore.tell(event, user, if: status), statement, FriendStore.copy(user),
                ] + AuditStore.note(act))
            return true
        } catch let error as PostgresError where error.outcome() == Outcome.userNotFound {
            return false
        }
    }

    private enum Outcome: String, GuardOutcome {
        case userNotFound = "user_not_found"
    }

    private static func lockExisting(_ user: User.ID) -> Statement {
        """
        WITH locked AS MATERIALIZED (
            SELECT FROM users WHERE id = \(user) AND status <> 'deleted' FOR NO KEY UPDATE)
        SELECT require(EXISTS (SELECT FROM locked), \(Outcome.userNotFound))
        """
    }

    /// Ends every relationship and deletes everything except that this uid had an account, which nobody gets again, and that
    /// its names are reserved for a time. Attributions stay, by the hashes of uids.
    ///
    /// Throws `inactive`, or `changedMeanwhile` if a rename or another deletion came first.
    /// - Parameter act: that of an operator, who may delete a suspended account, too.
    func delete(_ user: User.ID, by act: OperatorAct? = nil) async throws {
        let ending = FriendStore.delete(user, limits)
        let lock =
            act == nil ? UserStore.lockActive(user, else: AccountError.inactive) : Self.lockExisting(user)
        let deletion = deletion(of: user, locking: lock) + AuditStore.note(act)
        do {
            let results = try await db.write.with(key: user).batch(deletion + ending)
            let others = try results[deletion.count].map { try User.ID($0.next()) }
            // The account is deleted. If this fails, the next deletion of a friend's account makes up for it.
            try? await FriendStore(db: db).forgetEnds(of: others, limits)
            try? await forgetTaps(of: user)
        } catch let error as PostgresError {
            if error.outcome() == Outcome.userNotFound { throw AccountError.inactive }
            throw error.outcome(among: AccountError.self)
        }
    }

    /// Deletes the taps on the user's links, in parts: strangers made them, perhaps very many. It first waits for those who saw the
    /// account before it was deleted, and hold it. If this fails, the taps lead nowhere, expire, and `kith verify` finds them.
    private func forgetTaps(of user: User.ID) async throws {
        let part = 5_000
        var count = part
        while count == part {
            let results = try await db.bulk.batch([
                "SELECT 1 FROM users WHERE id = \(user) FOR UPDATE",
                """
                WITH taps AS MATERIALIZED (SELECT id FROM installs WHERE inviter_id = \(user) LIMIT \(part))
                DELETE FROM installs i USING taps WHERE i.inviter_id = \(user) AND i.id = taps.id
                """,
            ])
            count = results[1].affected
        }
    }

    private func deletion(of user: User.ID, locking lock: Statement) -> [Statement] {
        [UserStore.waitForImports] + forgetNames(of: user) + [lock] + Self.forgetInvites(of: user)
            + EventStore.forgetFacts(of: user) + [
                EventStore.tell(.userDeleted, user),
                """
                UPDATE users SET status = 'deleted', status_reason = NULL, username = \(Self.noName), display_name = NULL, avatar_url = NULL,
                                 metadata = NULL, invite_code = NULL, invites = 'auto', frozen_at = NULL,
                                 frozen_reason = NULL, profiles_at = NULL, spellings_at = NULL, revision = revision + 1
                WHERE id = \(user)
                """,
            ]
    }

    /// Locks the open period first and the user last, as a rename does. Reserves for a time the names by which others had time
    /// to know the user, and releases the others at once. No name refers to the user any more.
    private func forgetNames(of user: User.ID) -> [Statement] {
        [
            """
            WITH current AS MATERIALIZED (
                SELECT FROM username_periods WHERE user_id = \(user) AND valid_to IS NULL FOR UPDATE)
            SELECT require(EXISTS (SELECT FROM current), \(AccountError.changedMeanwhile))
            """,
            """
            WITH current AS MATERIALIZED (
                SELECT name_key FROM username_periods WHERE user_id = \(user) AND valid_to IS NULL),
            active AS MATERIALIZED (
                SELECT n.name_key FROM usernames n JOIN current ON n.name_key = current.name_key WHERE n.user_id = \(user))
            SELECT require_row(EXISTS (SELECT FROM active), 'current username')
            """,
            """
            WITH known AS MATERIALIZED (
                SELECT name_key FROM username_periods WHERE user_id = \(user) GROUP BY name_key
                HAVING sum(coalesce(valid_to, now()) - valid_from) > \(names.correction.seconds) * interval '1 second')
            UPDATE usernames n
            SET state = 'reserved', user_id = NULL, changed_at = now(),
                held_until = now() + \(names.reservation.seconds) * interval '1 second'
            FROM known
            WHERE n.name_key = known.name_key AND n.user_id = \(user)
              AND (n.state = 'active' OR (n.state = 'held' AND n.held_until >= now()))
            """,
            """
            WITH had AS MATERIALIZED (SELECT DISTINCT name_key FROM username_periods WHERE user_id = \(user))
            UPDATE usernames n SET state = 'released', user_id = NULL, held_until = NULL, changed_at = now()
            FROM had WHERE n.name_key = had.name_key AND n.user_id = \(user)
            """,
            "DELETE FROM username_periods WHERE user_id = \(user)",
        ]
    }

    /// Revokes the links and removes their labels and notes. Stored answers to sign-ups by them become those of an invite that leads to
    /// nobody.
    private static func forgetInvites(of user: User.ID) -> [Statement] {
        [
            """
            WITH codes AS MATERIALIZED (SELECT code FROM links_by_owner WHERE owner_id = \(user)),
            found AS MATERIALIZED (SELECT l.code FROM codes JOIN links l ON l.code = codes.code)
            SELECT require_row((SELECT count(*) FROM codes) = (SELECT count(*) FROM found), 'link of a code')
            """,
            "DELETE FROM signups WHERE user_id = \(user)",
            """
            WITH came AS MATERIALIZED (SELECT invitee_id FROM acceptances WHERE inviter_id = \(user))
            UPDATE signups s
            SET outcome = 'ignored', reason = 'not_found', result = 'none',
                inviter_uid = NULL, inviter_username = NULL, inviter_display_name = NULL,
                inviter_avatar_url = NULL, inviter_metadata = NULL
            FROM came WHERE s.user_id = came.invitee_id AND s.outcome = 'accepted'
            """,
            """
            WITH codes AS MATERIALIZED (
                SELECT code FROM links_by_owner WHERE owner_id = \(user)
                UNION SELECT invite_code FROM users WHERE id = \(user))
            UPDATE links l SET revoked_at = now() FROM codes WHERE l.code = codes.code AND l.revoked_at IS NULL
            """,
            """
            WITH codes AS MATERIALIZED (SELECT code FROM links_by_owner WHERE owner_id = \(user))
            UPDATE links l SET label = NULL, note = NULL FROM codes
            WHERE l.code = codes.code AND (l.label IS NOT NULL OR l.note IS NOT NULL)
            """,
            """
            UPDATE links_by_owner SET idempotency_key = NULL, request_sha256 = NULL, answer = NULL
            WHERE owner_id = \(user) AND idempotency_key IS NOT NULL
            """,
            // They stay dealt: nobody else gets a code that somebody knows.
            "UPDATE offer_codes SET user_id = NULL WHERE user_id = \(user)",
            // What Apple signed stays, as nobody's.
            "UPDATE purchases SET user_id = NULL, consumption_id = NULL, change_id = \(UUID.random()) WHERE user_id = \(user)",
            // What was to come of their invite does not, and what they had is spent by nobody.
            "DELETE FROM reward_actions WHERE user_id = \(user)",
            "DELETE FROM reward_signals WHERE user_id = \(user)",
            "UPDATE referrals SET left_at = now() WHERE invitee_id = \(user)",
            """
            UPDATE rewards SET state = 'voided', cause = 'deleted', change_id = \(UUID.random()), changed_at = now()
            WHERE user_id = \(user) AND state IN ('pending', 'flagged')
            """,
            "UPDATE rewards SET reasons = NULL WHERE user_id = \(user) AND reasons IS NOT NULL",
            """
            INSERT INTO reward_postings (user_id, id, kind, debit, credit, unit, amount)
            SELECT user_id, md5('forfeit ' || unit)::uuid, 'forfeit', 'user', 'forfeited', unit,
                   sum(amount * ((credit = 'user')::int - (debit = 'user')::int))::bigint
            FROM reward_postings WHERE user_id = \(user)
            GROUP BY user_id, unit HAVING sum(amount * ((credit = 'user')::int - (debit = 'user')::int)) > 0
            """,
            // What came of them goes along.
            "DELETE FROM exposures WHERE unit = \(user)",
            "DELETE FROM click_counts WHERE link = \(user)::uuid::text",
            """
            WITH codes AS MATERIALIZED (SELECT code FROM links_by_owner WHERE owner_id = \(user))
            DELETE FROM click_counts c USING codes WHERE c.link = codes.code
            """,
        ]
    }
}
