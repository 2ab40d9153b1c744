import Events
import Foundation
package import Kernel
package import Postgres
package import Web

/// Creates links. Each batch locks the owner first, as the use of a link does, and counts under that lock.
///
/// Dead links are kept only for their owner to see, and for people who open them late. Beyond a limit, the
/// oldest are deleted with their uses. Attributions are stored elsewhere.
extension InviteStore {
    private enum CodeOutcome: String, GuardOutcome {
        /// The user already has a code, or is not active.
        case hasCode = "has_code"
    }

    /// Returns the current code. A user without one, such as an imported user, gets the new one. Throws
    /// `AccountError.inactive`.
    func personalCode(of user: User.ID, orNew new: Invite.Code) async throws -> Invite.Code {
        if let code = try await personalCode(of: user) { return code }
        let give = UserStore.giveCode(new.text, to: user, else: CodeOutcome.hasCode)
        let given = try await db.write.batch(
            [give] + Self.addPersonal(new, of: user), unless: CodeOutcome.hasCode)
        if given != nil { return new }
        guard let code = try await personalCode(of: user) else { throw AccountError.inactive }
        return code
    }

    /// Returns the current code. Nil if there is none.
    func personalCode(of user: User.ID) async throws -> Invite.Code? {
        try await db.read.first("SELECT invite_code FROM users WHERE id = \(user)") {
            try $0.next(as: String?.self).map(Invite.Code.init(stored:))
        } ?? nil
    }

    /// Replaces a user's code. The old one stops working. Throws `IdempotencyKey.WasUsed`, an
    /// `InviteIssueError`, or `AccountError.inactive`.
    func rotatePersonal(to code: Invite.Code, for user: User.ID, key: IdempotencyKey.Answered?)
        async throws
    {
        let made = Self.insertByOwner(
            code, kind: "personal", owner: user, key: key?.key, answer: "\(key?.body)")
        _ = try await issuing(
            made, by: user, changingOwner: true,
            [
                """
                SELECT require(count(*) <= \(limits.rotations), \(InviteIssueError.rotationLimit)) FROM invites_by_owner
                WHERE owner_id = \(user) AND kind = 'personal' AND created_at > now() - interval '1 day'
                """,
                "SELECT revoke_personal_invite(\(user))",
                UserStore.replaceCode(by: code.text, of: user),
                Self.insertPersonal(code, owner: user),
                EventStore.record(.inviteCreated, user, facts: Self.facts(of: code, "personal")),
            ])
    }

    /// Returns in how many seconds the code may be rotated again.
    func rotationWait(of user: User.ID) async throws -> Int {
        try await db.read.first(
            """
            SELECT ceil(extract(epoch FROM created_at + interval '1 day' - now()))::bigint FROM invites_by_owner
            WHERE owner_id = \(user) AND kind = 'personal'
            ORDER BY created_at DESC OFFSET \(limits.rotations - 1) LIMIT 1
            """
        ) { try max(1, $0.next(as: Int.self)) } ?? 1
    }

    /// Creates a custom link. Throws `IdempotencyKey.WasUsed`, an `InviteIssueError`, or
    /// `AccountError.inactive`.
    package func issue(
        _ draft: InviteRequest, as code: Invite.Code, owner: User.ID, key: IdempotencyKey.Answered?
    ) async throws -> Invite {
        let answer = key.map { Self.answer($0.body, expiresIn: draft.expiresIn) } ?? "NULL"
        let made = Self.insertByOwner(code, kind: "custom", owner: owner, key: key?.key, answer: answer)
        let results = try await issuing(
            made, by: owner,
            [
                """
                SELECT require(
                    NOT EXISTS (SELECT FROM users WHERE id = \(owner) AND frozen_at IS NOT NULL),
                    \(InviteIssueError.invitingFrozen))
                """,
                """
                INSERT INTO invites (code, owner_id, kind, mode, label, note, max_uses, expires_at)
                VALUES (\(code), \(owner), 'custom', \(draft.friendship.rawValue), \(draft.label), \(draft.note),
                        \(draft.maxUses), now() + \(draft.expiresIn.map(Double.init)) * interval '1 second')
                RETURNING \(Invite.columns())
                """,
                requireRoom(of: owner),
                EventStore.record(.inviteCreated, owner, facts: Self.facts(of: code, "custom")),
            ])
        guard let invite = try results[1].first(Invite.init(row:)) else { throw InviteError.notFound }
        return invite
    }

    /// Ends the batch with `link_limit` if more of an owner's links work than may. With a code, it also ends
    /// if one more may not work and this one does not work yet. The caller must have locked the owner.
    func requireRoom(of owner: User.ID, reviving code: Invite.Code? = nil) -> Statement {
        let isRoom: Statement =
            code.map { "count(*) < \(limits.links) OR coalesce(bool_or(i.code = \($0)), false)" }
            ?? "count(*) <= \(limits.links)"
        return """
            WITH mine AS MATERIALIZED (
                SELECT code FROM invites_by_owner WHERE owner_id = \(owner) AND kind = 'custom')
            SELECT require(\(isRoom), \(InviteIssueError.linkLimit))
            FROM mine JOIN invites i ON i.code = mine.code
            WHERE i.revoked_at IS NULL AND (i.expires_at IS NULL OR i.expires_at > now())
              AND (i.max_uses IS NULL OR i.uses < i.max_uses)
            """
    }

    /// Locks the owner, inserts the entry in the owner's list, runs the statements, and deletes old dead
    /// links. Returns the statements' rows. Only the entry can violate a unique constraint, by its
    /// idempotency key.
    private func issuing(
        _ entry: Statement, by owner: User.ID, changingOwner: Bool = false, _ statements: [Statement]
    ) async throws -> [Rows] {
        let before =
            (changingOwner ? [UserStore.waitForImports] : [])
            + [UserStore.lockActive(owner, else: AccountError.inactive), entry]
        do {
            let results = try await db.write.with(key: owner).batch(
                before + statements + [forgetDead(of: owner)],
                throwing: InviteIssueError.self, AccountError.self)
            return Array(results[before.count..<before.count + statements.count])
        } catch let error as PostgresError
            where error.isUniqueViolation && error.statementIndex == before.count - 1
        {
            throw IdempotencyKey.WasUsed()
        }
    }

    /// Deletes dead links beyond the newest, some at a time. Usable links have a limit of their own, so this
    /// and the count above read at most a few thousand rows. Codes of the last day stay, because they count
    /// against the day's rotations.
    private func forgetDead(of owner: User.ID) -> Statement {
        "SELECT forget_dead_invites(\(owner), \(limits.links))"
    }

    /// Adds a first short code of a user's permanent link. The caller must set `users.invite_code`.
    package static func addPersonal(_ code: Invite.Code, of owner: User.ID) -> [Statement] {
        [insertByOwner(code, kind: "personal", owner: owner), insertPersonal(code, owner: owner)]
    }

    private static func insertPersonal(_ code: Invite.Code, owner: User.ID) -> Statement {
        "INSERT INTO invites (code, owner_id, kind) VALUES (\(code), \(owner), 'personal')"
    }

    private static func insertByOwner(
        _ code: Invite.Code, kind: String, owner: User.ID, key: IdempotencyKey? = nil,
        answer: Statement = "NULL"
    ) -> Statement {
        """
        INSERT INTO invites_by_owner (owner_id, code, kind, idempotency_key, request_sha256, answer)
        VALUES (\(owner), \(code), \(kind), \(key?.text), \(key?.requestSHA256), \(answer))
        """
    }

    /// Returns SQL for the answer to store, with the times of this transaction, which are not known before.
    /// In JSON only a member can look like what is replaced here: the quotes within a string have a backslash
    /// before them.
    private static func answer(_ body: String, expiresIn: Int?) -> Statement {
        let created: Statement = time("createdAt", of: "\(body)", as: "now()")
        guard let expiresIn else { return created }
        return time("expiresAt", of: created, as: "now() + \(Double(expiresIn)) * interval '1 second'")
    }

    private static func time(_ member: String, of body: Statement, as time: Statement) -> Statement {
        let start = "\"\(member)\":\""
        return """
            replace(\(body), \("\(start)\(JSON.timestamp(.distantPast))\""),
                    \(start) || to_char((\(time)) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"')
            """
    }
}
