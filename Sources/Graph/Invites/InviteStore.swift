import Events
import Foundation
package import Kernel
package import Postgres
import Rollout
import Web

/// Every statement on `invites`, `invites_by_owner`, `invite_uses` and `acceptances`.
package struct InviteStore: Sendable {
    package var db: Database
    package var limits = InvitePolicy()

    package init(db: Database, limits: InvitePolicy = InvitePolicy()) {
        (self.db, self.limits) = (db, limits)
    }

    /// Returns the link of a code, and its owner. Nil if there is none, or the owner may not be seen.
    func find(_ code: Invite.Code) async throws -> FoundLink? {
        try await db.landings.first(
            """
            SELECT \(Invite.columns("(invite).")), coalesce((invite).expires_at <= now(), false),
                   coalesce((invite).uses >= (invite).max_uses, false), \(UserStore.inviting("(owner).")),
                   (invite).kind = 'personal', \(User.Profile.columns("(owner)."))
            FROM invite_and_owner(\(code)) WHERE \(UserStore.isVisible("(owner)."))
            """
        ) { row in
            let link = try Invite(row: &row)
            let (isExpired, isUsedUp): (Bool, Bool) = try (row.next(), row.next())
            let inviting = try InviteMode(stored: row.next())
            let isPersonal = try row.next(as: Bool.self)
            let refusals: [(Bool, InviteError)] = [
                (link.revokedAt != nil, .revoked), (isExpired, .expired), (isUsedUp, .exhausted),
            ]
            let invite = try ProvenInvite(
                inviter: User.Profile(row: &row), proof: .code,
                friendship: inviting == .auto ? link.friendship : .ask, code: code)
            return FoundLink(
                link: link, isPersonal: isPersonal, invite: invite, refusal: refusals.first(where: \.0)?.1,
                isOff: inviting == .off)
        }
    }

    /// Returns the owner of a code, even of a dead link.
    func owner(of code: Invite.Code) async throws -> User.Profile? {
        try await db.read.first(
            """
            SELECT \(User.Profile.columns("(owner).")) FROM invite_and_owner(\(code))
            WHERE \(UserStore.isVisible("(owner).")) AND \(UserStore.inviting("(owner).")) <> 'off'
            """, User.Profile.init(row:))
    }

    func isUsed(_ code: Invite.Code, by user: User.ID) async throws -> Bool {
        try await db.read.first("SELECT 1 FROM invite_uses WHERE code = \(code) AND user_id = \(user)") {
            try $0.next(as: Int.self)
        } != nil
    }
}

/// Custom links.
extension InviteStore {
    /// Returns the code that this owner created with an idempotency key, the answer to that call, and whether
    /// the request was the same.
    func answer(to key: IdempotencyKey, of owner: User.ID) async throws -> (
        code: Invite.Code, body: [UInt8], isSameRequest: Bool
    )? {
        try await db.read.first(
            """
            SELECT code, answer, request_sha256 = \(key.requestSHA256)
            FROM invites_by_owner WHERE owner_id = \(owner) AND idempotency_key = \(key.text)
            """
        ) { try (Invite.Code(stored: $0.next()), Array($0.next(as: String.self).utf8), $0.next()) }
    }

    func exists(_ code: Invite.Code) async throws -> Bool {
        try await db.read.first("SELECT 1 FROM invites WHERE code = \(code)") { try $0.next(as: Int.self) }
            != nil
    }

    package func find(_ code: Invite.Code, owner: User.ID) async throws -> Invite? {
        try await db.read.first(
            """
            SELECT \(Invite.columns())
            FROM invites WHERE code = \(code) AND owner_id = \(owner) AND kind = 'custom'
            """, Invite.init(row:))
    }

    /// Returns the custom links of a user, newest first.
    package func list(of owner: User.ID, after cursor: Cursor?, limit: Int) async throws -> ListPage<Invite> {
        let lists = db.lists.with(key: owner)
        let page = try await ListPage(
            lists.query(
                """
                SELECT code, created_at FROM invites_by_owner
                WHERE owner_id = \(owner) AND kind = 'custom'
                  AND \(Cursor.page(behind: cursor, "created_at", text: "code", limit: limit + 1))
                """
            ) { row in
                let code: String = try row.next()
                return try (cursor: Cursor(at: row.next(), id: code), item: code)
            }, limit: limit)
        let links = try await lists.query(
            """
            SELECT \(Invite.columns())
            FROM invites WHERE code = ANY(\(page.items))
            """, Invite.init(row:))
        let invites = Dictionary(uniqueKeysWithValues: links.map { ($0.code.text, $0) })
        return page.map { invites[$0] }
    }

    /// Changes a link. Nil if the owner has no such link. Throws an `InviteIssueError`, or
    /// `AccountError.inactive`.
    func change(_ code: Invite.Code, of owner: User.ID, _ change: InviteChangeRequest) async throws -> Invite?
    {
        let columns = change.columns
        guard !columns.isEmpty else { return try await find(code, owner: owner) }
        do {
            // The change may make a dead link work again.
            let room = change.mayRevive ? [requireRoom(of: owner, reviving: code)] : []
            let before = [UserStore.lockActive(owner, else: AccountError.inactive)] + room
            let update: Statement = """
                UPDATE invites SET \(columns.joined(separator: ", "))
                WHERE code = \(code) AND owner_id = \(owner) AND kind = 'custom' RETURNING \(Invite.columns())
                """
            let results = try await db.write.with(key: owner).batch(
                before + [update], throwing: InviteIssueError.self, AccountError.self)
            return try results[before.count].first(Invite.init(row:))
        } catch let error as PostgresError where error.isCheckViolation {
            throw InviteIssueError.usesExceeded
        }
    }

    private enum RevokeOutcome: String, GuardOutcome {
        case unchanged
    }

    /// Revokes a link for good. A second call changes nothing.
    package func revoke(_ code: Invite.Code, owner: User.ID, noting act: OperatorAct? = nil) async throws {
        try await db.write.with(key: owner).batch(
            [
                """
                WITH revoked AS (
                    UPDATE invites SET revoked_at = now()
                    WHERE code = \(code) AND owner_id = \(owner) AND kind = 'custom' AND revoked_at IS NULL
                    RETURNING 1)
                SELECT require(EXISTS (SELECT FROM revoked), \(RevokeOutcome.unchanged))
                """,
                EventStore.record(.inviteRevoked, owner, facts: Self.facts(of: code, "custom")),
            ] + AuditStore.note(act), unless: RevokeOutcome.unchanged)
    }

    /// Returns what events tell about a link.
    static func facts(of code: Invite.Code, _ kind: String) -> [String: EventFact] {
        ["code": .text(code.text), "kind": .text(kind)]
    }
}

extension InviteChangeRequest {
    fileprivate var mayRevive: Bool { maxUses != nil || expiresIn != nil }

    fileprivate var columns: [Statement] {
        var columns: [Statement] = []
        if let label { columns.append("label = \(label)") }
        if let note { columns.append("note = \(note)") }
        if let maxUses { columns.append("max_uses = \(maxUses)") }
        if let expiresIn {
            columns.append("expires_at = now() + \(expiresIn.map(Double.init)) * interval '1 second'")
        }
        if let friendship { columns.append("mode = \(friendship.rawValue)") }
        return columns
    }
}

extension Invite {
    /// Returns the columns that `init(row:)` reads.
    /// - Parameter i: the row's alias in the statement, with a dot.
    static func columns(_ i: Statement = "") -> Statement {
        """
        \(i)code, \(i)mode, \(i)label, \(i)note, \(i)uses, \(i)max_uses, \(i)expires_at, \(i)revoked_at,
        \(i)created_at
        """
    }

    init(row: inout Row) throws {
        code = try Code(stored: row.next())
        friendship = try Mode(stored: row.next())
        label = try row.next()
        note = try row.next()
        uses = try row.next()
        maxUses = try row.next()
        expiresAt = try row.next()
        revokedAt = try row.next()
        createdAt = try row.next()
    }
}

extension Invite.Mode {
    fileprivate init(stored text: String) throws {
        guard let known = Self(rawValue: text) else { throw InviteError.notFound }
        self = known
    }
}

extension Invite.Code: PostgresEncodable {
    package var bind: Bind { text.bind }
}
