import Foundation
import Postgres

/// Every statement on `links`, `links_by_owner`, `link_uses` and `acceptances`.
struct InviteStore: Sendable {
    var db: Database

    /// Who owns a code, where it can be used now. Throws an `InviteRefusal` where it cannot.
    func proven(_ code: Invite.Code) async throws -> ProvenInvite {
        let found = try await db.landings.first(
            """
            WITH link AS MATERIALIZED (
                SELECT owner_id, kind, friendship, revoked_at IS NOT NULL AS revoked,
                       coalesce(expires_at <= now(), false) AS expired,
                       coalesce(uses >= max_uses, false) AS exhausted
                FROM links WHERE code = \(code))
            SELECT u.uid, u.username, u.display_name, u.status = 'active',
                   link.kind = 'personal', link.friendship, link.revoked, link.expired, link.exhausted,
                   u.frozen_at IS NOT NULL
            FROM link JOIN users u ON u.id = link.owner_id
            """
        ) { row in
            let inviter = try User.Profile(uid: row.next(), username: row.next(), displayName: row.next())
            let isActive: Bool = try row.next()
            let isPersonal: Bool = try row.next()
            let friendship = try Invite.Friendship(stored: row.next())
            let refusals: [(Bool, InviteRefusal)] = try [
                (!isActive, .notFound), (row.next(), .revoked), (row.next(), .expired),
                (row.next(), .exhausted),
            ]
            let invite = try ProvenInvite(
                inviter: inviter, proof: .code, friendship: friendship, code: code, isPersonal: isPersonal,
                isFrozen: row.next())
            return (invite, refusals.first(where: \.0)?.1)
        }
        guard let (invite, refusal) = found else { throw InviteRefusal.notFound }
        if let refusal { throw refusal }
        return invite
    }

    /// Counts one use of a link by a user, whom it counts only once, and ends the batch with
    /// `link_unusable` where none is left. A link is never used more often than it allows.
    static func use(_ code: Invite.Code, by user: User.ID) -> Statement {
        """
        WITH used AS (
            INSERT INTO link_uses (code, user_id) VALUES (\(code), \(user))
            ON CONFLICT DO NOTHING RETURNING 1),
        counted AS (
            UPDATE links SET uses = uses + 1
            WHERE code = \(code) AND EXISTS (SELECT FROM used) AND revoked_at IS NULL
              AND (expires_at IS NULL OR expires_at > now()) AND (max_uses IS NULL OR uses < max_uses)
            RETURNING 1)
        SELECT require(EXISTS (SELECT FROM counted) OR NOT EXISTS (SELECT FROM used), 'link_unusable')
        """
    }

    /// Attributes a new user to the one who invited him.
    static func attribute(_ invitee: User.ID, to inviter: User.ID, code: Invite.Code?) -> Statement {
        """
        INSERT INTO acceptances (invitee_id, inviter_id, code)
        VALUES (\(invitee), \(inviter), \(code?.text))
        """
    }
}

/// Acceptance by one who has an account.
extension InviteStore {
    /// One transaction: the use of the link, and both rows of the pair. Throws a `FriendRefusal`, or
    /// `notFound` where the invite is no longer what it was.
    func accept(_ invite: ProvenInvite, by uid: User.UID, _ limits: FriendLimits) async throws
        -> RelationshipRow
    {
        do {
            let results = try await db.write.batch(Self.accepting(invite, by: uid, limits))
            return try results.last?.first(RelationshipRow.init(row:)) ?? RelationshipRow()
        } catch let error as PostgresError {
            guard let outcome = error.unmet else { throw error }
            throw FriendRefusal(rawValue: outcome) ?? InviteRefusal.notFound
        }
    }

    private static func accepting(
        _ invite: ProvenInvite, by uid: User.UID, _ limits: FriendLimits
    ) -> [Statement] {
        let (me, inviter) = (User.ID(of: uid), invite.inviterID)
        let isAuto = invite.friendship == .auto
        var statements = [
            UserStore.lockActive(me, else: "invite_unproven"),
            UserStore.lockInviting(inviter, else: "invite_unproven"),
        ]
        if inviter < me { statements.reverse() }
        statements.append(
            FriendStore.requireRoom(for: me, and: inviter, isMutual: isAuto, byInvite: true, limits))
        if let code = invite.code { statements.append(use(code, by: me)) }
        statements += FriendStore.write(
            .init(uid: uid, wants: true), .init(uid: invite.inviterUID, wants: isAuto ? true : nil), limits)
        statements.append(FriendStore.row(of: me, to: inviter))
        return statements
    }
}

/// The idempotency key of a call that creates was used by the same owner before.
struct IdempotencyKeyUsed: Error {}

/// The permanent link's short code.
extension InviteStore {
    /// The code in force; one who has none yet gets the new one.
    func personalCode(of user: User.ID, orNew new: Invite.Code) async throws -> Invite.Code {
        if let code = try await personalCode(of: user) { return code }
        do {
            try await db.write.batch([
                """
                WITH given AS (
                    UPDATE users SET invite_code = \(new)
                    WHERE id = \(user) AND invite_code IS NULL AND status = 'active'
                    RETURNING 1)
                SELECT require(EXISTS (SELECT FROM given), 'has_code')
                """,
                Self.insertPersonal(new, owner: user),
            ])
            return new
        } catch let error as PostgresError where error.unmet == "has_code" {
            return try await personalCode(of: user) ?? new
        }
    }

    private func personalCode(of user: User.ID) async throws -> Invite.Code? {
        try await db.read.first("SELECT invite_code FROM users WHERE id = \(user)") {
            try $0.next(as: String?.self).map(Invite.Code.init(stored:))
        } ?? nil
    }

    /// Replaces the code of a user; the old one is dead from here on. Throws `IdempotencyKeyUsed`.
    func rotatePersonal(to code: Invite.Code, for user: User.ID, key: IdempotencyKey?) async throws {
        var statements: [Statement] = [
            // Before the link, as those who use the link lock them.
            UserStore.lockActive(user, else: "not_active"),
            """
            UPDATE links SET revoked_at = now()
            WHERE code = (SELECT invite_code FROM users WHERE id = \(user)) AND revoked_at IS NULL
            """,
            "UPDATE users SET invite_code = \(code.text) WHERE id = \(user)",
            Self.insertPersonal(code, owner: user),
        ]
        if let key {
            statements.insert(Self.insertByOwner(code, kind: "personal", owner: user, key: key), at: 0)
        }
        _ = try await batch(statements)
    }

    private static func insertPersonal(_ code: Invite.Code, owner: User.ID) -> Statement {
        "INSERT INTO links (code, owner_id, kind) VALUES (\(code), \(owner), 'personal')"
    }

    private static func insertByOwner(
        _ code: Invite.Code, kind: String, owner: User.ID, key: IdempotencyKey?
    ) -> Statement {
        """
        INSERT INTO links_by_owner (owner_id, code, kind, idempotency_key, request_sha256)
        VALUES (\(owner), \(code), \(kind), \(key?.text), \(key?.requestSHA256))
        """
    }
}

/// Extra links.
extension InviteStore {
    /// Throws `IdempotencyKeyUsed`, or `InvitingFrozen`.
    func issue(
        _ draft: InviteDraft, as code: Invite.Code, owner: User.ID, key: IdempotencyKey?
    ) async throws -> Invite {
        let results = try await batch([
            Self.insertByOwner(code, kind: "extra", owner: owner, key: key),
            """
            SELECT require(
                NOT EXISTS (SELECT FROM users WHERE id = \(owner) AND frozen_at IS NOT NULL), 'inviting_frozen')
            """,
            """
            INSERT INTO links (code, owner_id, kind, friendship, label, max_uses, expires_at)
            VALUES (\(code), \(owner), 'extra', \(draft.friendship.rawValue), \(draft.label), \(draft.maxUses),
                    now() + \(draft.expiresIn.map(Double.init)) * interval '1 second')
            RETURNING code, friendship, label, uses, max_uses, expires_at, revoked_at, created_at
            """,
        ])
        guard let invite = try results[2].first(Invite.init(row:)) else { throw InviteRefusal.notFound }
        return invite
    }

    /// The entry of the owner goes first: it alone can be there already, by its idempotency key.
    private func batch(_ statements: [Statement]) async throws -> [Rows] {
        do {
            return try await db.write.batch(statements)
        } catch let error as PostgresError where error.isUniqueViolation && error.statementIndex == 0 {
            throw IdempotencyKeyUsed()
        } catch let error as PostgresError where error.unmet == "inviting_frozen" {
            throw InvitingFrozen()
        }
    }

    /// What an idempotency key was used for by this owner.
    func issued(by owner: User.ID, key: IdempotencyKey) async throws -> (
        code: Invite.Code, isSameRequest: Bool
    )? {
        try await db.read.first(
            """
            SELECT code, request_sha256 = \(key.requestSHA256)
            FROM links_by_owner WHERE owner_id = \(owner) AND idempotency_key = \(key.text)
            """
        ) { try (Invite.Code(stored: $0.next()), $0.next()) }
    }

    func find(_ code: Invite.Code, owner: User.ID) async throws -> Invite? {
        try await db.read.first(
            """
            SELECT code, friendship, label, uses, max_uses, expires_at, revoked_at, created_at
            FROM links WHERE code = \(code) AND owner_id = \(owner) AND kind = 'extra'
            """, Invite.init(row:))
    }

    /// Extra links of a user, newest first.
    func list(of owner: User.ID, after cursor: Cursor?, limit: Int) async throws -> Page<Invite> {
        let rows = try await db.read.query(
            """
            WITH mine AS MATERIALIZED (
                SELECT code, created_at FROM links_by_owner
                WHERE owner_id = \(owner) AND kind = 'extra' AND created_at <= \(cursor?.at ?? .distantFuture)
                  AND (created_at < \(cursor?.at ?? .distantFuture) OR code > \(cursor?.key))
                ORDER BY created_at DESC, code LIMIT \(limit + 1))
            SELECT l.code, l.friendship, l.label, l.uses, l.max_uses, l.expires_at, l.revoked_at, l.created_at
            FROM mine JOIN links l ON l.code = mine.code
            ORDER BY mine.created_at DESC, mine.code
            """, Invite.init(row:))
        return Page(
            rows.map { (cursor: Cursor(at: $0.createdAt, id: $0.code.text), item: $0) }, limit: limit)
    }

    /// Once revoked, a link stays so; a second call changes nothing.
    func revoke(_ code: Invite.Code, owner: User.ID) async throws {
        try await db.write.run(
            """
            UPDATE links SET revoked_at = now()
            WHERE code = \(code) AND owner_id = \(owner) AND kind = 'extra' AND revoked_at IS NULL
            """)
    }
}

extension Invite {
    fileprivate init(row: inout Row) throws {
        code = try Code(stored: row.next())
        friendship = try Friendship(stored: row.next())
        label = try row.next()
        uses = try row.next()
        maxUses = try row.next()
        expiresAt = try row.next()
        revokedAt = try row.next()
        createdAt = try row.next()
    }
}

extension Invite.Friendship {
    fileprivate init(stored text: String) throws {
        guard let known = Self(rawValue: text) else { throw InviteRefusal.notFound }
        self = known
    }
}

extension Invite.Code: PostgresEncodable {
    var bind: Bind { text.bind }
}
