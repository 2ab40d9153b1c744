import Foundation
import Postgres

/// Reads everything that is stored about a user, in parts: each is one statement on the lane `bulk` of at most `rows` rows.
struct ExportStore: Sendable {
    var db: Database
    var rows = 500

    /// A part of a list, and the cursor of the next part; nil if it is the last.
    struct Part<Item: Sendable>: Sendable {
        var items: [Item]
        var next: Cursor?
    }

    /// The part that an account has once; nil if there is no such user.
    func export(_ user: User.ID) async throws -> Export? {
        let results = try await db.bulk.with(key: user).batch([
            Self.account(user), Self.origin(user),
        ])
        guard var export = try results[0].first(Export.init(account:)) else { return nil }
        export.invitedBy = try results[1].first(Export.Origin.init(row:))
        return export
    }

    /// - Parameter item: returns nil if the row may not be seen.
    func part<Item: Sendable>(
        of user: User.ID, _ statement: Statement, _ item: (inout Row, Cursor) throws -> Item?
    ) async throws -> Part<Item> {
        let found = try await db.bulk.with(key: user).query(statement) { row in
            let at: Date = try row.next()
            let cursor = Cursor(at: at, id: try row.next(as: String.self))
            return (cursor, try item(&row, cursor))
        }
        return Part(items: found.compactMap(\.1), next: found.count < rows ? nil : found.last?.0)
    }

    private static func account(_ user: User.ID) -> Statement {
        """
        WITH \(UserStore.absentInviter(of: user))
        SELECT \(User.Profile.columns("u.")), u.status, u.created_at, u.invites, u.invite_code, u.frozen_at,
               s.username, s.display_name, s.avatar_url, s.metadata, coalesce(absent.outcome, s.outcome),
               coalesce(absent.reason, s.reason), coalesce(absent.result, s.result), s.created_at
        FROM users u
        LEFT JOIN signups s ON s.user_id = u.id
        LEFT JOIN absent ON absent.user_id = u.id AND s.outcome = 'accepted'
        WHERE u.id = \(user)
        """
    }

    private static func origin(_ user: User.ID) -> Statement {
        """
        WITH came AS MATERIALIZED (
            SELECT inviter_id, code, accepted_at FROM acceptances WHERE invitee_id = \(user)),
        \(UserStore.seen(in: "came", by: "inviter_id"))
        SELECT \(User.Profile.columns("seen.")), came.code, came.accepted_at
        FROM came LEFT JOIN seen ON seen.id = came.inviter_id
        """
    }

    /// Oldest first.
    func usernames(of user: User.ID, after cursor: Cursor?) async throws -> Part<Export.Name> {
        try await part(
            of: user,
            """
            WITH periods AS MATERIALIZED (
                SELECT valid_from AS at, name_key, username, valid_to, severed FROM username_periods
                WHERE user_id = \(user) AND valid_from >= \(cursor?.at ?? .distantPast)
                  AND (valid_from > \(cursor?.at ?? .distantPast) OR name_key > \(cursor?.key ?? ""))
                ORDER BY valid_from, name_key LIMIT \(rows)),
            held AS MATERIALIZED (
                SELECT n.name_key, n.held_until
                FROM (SELECT DISTINCT name_key FROM periods) p JOIN usernames n ON n.name_key = p.name_key
                WHERE n.user_id = \(user))
            SELECT p.at, p.name_key, p.username, p.valid_to, p.severed, held.held_until
            FROM periods p LEFT JOIN held ON held.name_key = p.name_key ORDER BY p.at, p.name_key
            """
        ) { row, cursor in
            try Export.Name(
                username: row.next(), from: cursor.at, to: row.next(), severed: row.next(),
                heldUntil: row.next())
        }
    }

    func invitees(of user: User.ID, after cursor: Cursor?) async throws -> Part<Export.Person> {
        try await part(
            of: user,
            """
            WITH came AS MATERIALIZED (
                SELECT invitee_id AS id, accepted_at AS at, code FROM acceptances
                WHERE inviter_id = \(user)
                  AND \(Cursor.page(behind: cursor, "accepted_at", "invitee_id", limit: rows))),
            \(UserStore.seen(in: "came", by: "id"))
            SELECT came.at, came.id::text, \(User.Profile.columns("seen.")), came.code
            FROM came LEFT JOIN seen ON seen.id = came.id
            ORDER BY came.at DESC, came.id
            """, Export.Person.visible)
    }

    /// Sorted by code.
    func links(of user: User.ID, after cursor: Cursor?) async throws -> Part<Export.Link> {
        try await part(
            of: user,
            """
            WITH mine AS MATERIALIZED (
                SELECT code, idempotency_key FROM links_by_owner
                WHERE owner_id = \(user) AND code > \(cursor?.key ?? "") ORDER BY code LIMIT \(rows))
            SELECT l.created_at, mine.code, l.kind = 'personal', l.mode, l.label, l.note, l.max_uses, l.uses,
                   l.expires_at, l.revoked_at, mine.idempotency_key
            FROM mine JOIN links l ON l.code = mine.code ORDER BY mine.code
            """
        ) { row, cursor in
            try Export.Link(
                code: cursor.key, kind: row.next() ? "personal" : "custom", friendship: row.next(),
                label: row.next(), note: row.next(),
                maxUses: row.next(), uses: row.next(), expiresAt: row.next(), revokedAt: row.next(),
                createdAt: cursor.at, idempotencyKey: row.next())
        }
    }

    func joined(by code: String, of user: User.ID, after cursor: Cursor?) async throws -> Part<Export.Person>
    {
        try await part(
            of: user,
            """
            WITH uses AS MATERIALIZED (
                SELECT user_id AS id, used_at AS at FROM link_uses
                WHERE code = \(code) AND \(Cursor.page(behind: cursor, "used_at", "user_id", limit: rows))),
            \(UserStore.seen(in: "uses", by: "id"))
            SELECT uses.at, uses.id::text, \(User.Profile.columns("seen.")), \(code)::text
            FROM uses LEFT JOIN seen ON seen.id = uses.id
            ORDER BY uses.at DESC, uses.id
            """, Export.Person.visible)
    }

    /// Oldest first.
    func usedLinks(of user: User.ID, after cursor: Cursor?) async throws -> Part<Export.UsedLink> {
        try await part(
            of: user,
            """
            SELECT used_at, code FROM link_uses
            WHERE user_id = \(user) AND used_at >= \(cursor?.at ?? .distantPast)
              AND (used_at > \(cursor?.at ?? .distantPast) OR code > \(cursor?.key ?? ""))
            ORDER BY used_at, code LIMIT \(rows)
            """
        ) { _, cursor in Export.UsedLink(code: cursor.key, at: cursor.at) }
    }

    /// Not the codes: `POST /v1/me/offers/{campaign}` shows them.
    func offers(of user: User.ID, after cursor: Cursor?) async throws -> Part<Export.Offer> {
        try await part(
            of: user,
            """
            SELECT dealt_at, campaign, expires_at FROM offer_codes
            WHERE user_id = \(user) AND dealt_at >= \(cursor?.at ?? .distantPast)
              AND (dealt_at > \(cursor?.at ?? .distantPast) OR campaign > \(cursor?.key ?? ""))
            ORDER BY dealt_at, campaign LIMIT \(rows)
            """
        ) { row, cursor in
            try Export.Offer(campaign: cursor.key, at: cursor.at, expiresAt: row.next())
        }
    }

    func dismissed(by user: User.ID, after cursor: Cursor?) async throws -> Part<Export.Dismissed> {
        try await part(
            of: user,
            """
            SELECT dismissed_at, other_id::text, other_uid FROM dismissals
            WHERE user_id = \(user) AND (\(cursor?.id)::uuid IS NULL OR other_id > \(cursor?.id)::uuid)
            ORDER BY other_id LIMIT \(rows)
            """
        ) { row, cursor in try Export.Dismissed(uid: row.next(), at: cursor.at) }
    }
}

extension Export {
    fileprivate init(account row: inout Row) throws {
        let user = try User.Profile(row: &row)
        profile = try Profile(
            uid: user.uid.text, username: user.username, displayName: user.displayName,
            avatarUrl: user.avatarUrl,
            metadata: user.metadata, status: row.next(), createdAt: row.next(), invites: row.next(),
            inviteCode: row.next(), invitesFrozenAt: row.next())
        let (username, displayName, avatarUrl): (String?, String?, String?) = try (
            row.next(), row.next(), row.next()
        )
        let (metadata, outcome): (String?, String?) = try (row.next(), row.next())
        let (reason, friendship, at): (String?, String?, Date?) = try (row.next(), row.next(), row.next())
        if let username, let outcome, let friendship, let at {
            signUp = SignUp(
                username: username, displayName: displayName, avatarUrl: avatarUrl,
                metadata: try metadata.map(User.Metadata.init(stored:)), invite: outcome, reason: reason,
                friendship: friendship, at: at)
        }
    }
}

extension Export.Origin {
    fileprivate init(row: inout Row) throws {
        inviter = try User.Profile(seen: &row)
        code = try row.next()
        at = try row.next()
    }
}

extension Export.Person {
    fileprivate static func visible(_ row: inout Row, _ cursor: Cursor) throws -> Self? {
        guard let user = try User.Profile(seen: &row) else { return nil }
        return try Self(user, .init(at: cursor.at, code: row.next()))
    }
}

/// The user's relationships, each list newest first.
extension ExportStore {
    func friends(of user: User.ID, after cursor: Cursor?) async throws -> Part<Friend> {
        try await related(user, "since", FriendStore.isVisibleFriend(), cursor) { other, at in
            guard other.row.relationship == .friends, let profile = other.profile else { return nil }
            return Friend(profile, Friendship(since: at))
        }
    }

    func incoming(to user: User.ID, after cursor: Cursor?) async throws -> Part<FriendRequest> {
        try await related(user, "heard_at", "heard_at IS NOT NULL AND NOT they_away", cursor) { other, at in
            other.row.relationship == .incoming ? other.request(at) : nil
        }
    }

    func outgoing(from user: User.ID, after cursor: Cursor?) async throws -> Part<FriendRequest> {
        try await related(user, "asked_at", "asked_at IS NOT NULL", cursor) { other, at in
            other.row.relationship == .outgoing ? other.request(at) : nil
        }
    }

    func blocks(of user: User.ID, after cursor: Cursor?) async throws -> Part<BlockedUser> {
        try await related(user, "blocked_at", "blocked_at IS NOT NULL", cursor) { other, at in
            BlockedUser(uid: other.uid, profile: other.profile, detail: Block(blockedAt: at))
        }
    }

    func declined(by user: User.ID, after cursor: Cursor?) async throws -> Part<Export.Declined> {
        try await part(
            of: user,
            """
            SELECT touched_at, other_id::text, other_uid, declines, quiet_until FROM relationships
            WHERE user_id = \(user) AND declines > 0
              AND (\(cursor?.id)::uuid IS NULL OR other_id > \(cursor?.id)::uuid)
            ORDER BY other_id LIMIT \(rows)
            """
        ) { row, _ in try Export.Declined(uid: row.next(), times: row.next(), quietUntil: row.next()) }
    }

    private struct Other {
        var uid: User.UID
        var profile: User.Profile?
        var row: RelationshipRow

        func request(_ at: Date) -> FriendRequest {
            FriendRequest(uid: uid, profile: profile, detail: PendingRequest(requestedAt: at))
        }
    }

    /// - Parameters:
    ///   - column: the time by which the list is sorted.
    ///   - isListed: the condition for rows of the list.
    private func related<Item: Sendable>(
        _ user: User.ID, _ column: Statement, _ isListed: Statement, _ cursor: Cursor?,
        _ item: (Other, Date) -> Item?
    ) async throws -> Part<Item> {
        try await part(
            of: user,
            """
            WITH mine AS MATERIALIZED (
                SELECT \(column) AS at, other_id, other_uid, i_block, they_block, they_away, since, asked_at, heard_at
                FROM relationships
                WHERE user_id = \(user) AND \(isListed)
                  AND \(Cursor.page(behind: cursor, column, "other_id", limit: rows))),
            \(UserStore.seen(in: "mine", by: "other_id"))
            SELECT mine.at, mine.other_id::text, mine.other_uid, \(User.Profile.columns("seen.")),
                   mine.i_block, mine.they_block, mine.they_away, mine.since, mine.asked_at, mine.heard_at
            FROM mine LEFT JOIN seen ON seen.id = mine.other_id
            ORDER BY mine.at DESC, mine.other_id
            """
        ) { row, cursor in
            let other = try Other(
                uid: User.UID(stored: row.next()), profile: User.Profile(seen: &row),
                row: RelationshipRow(row: &row))
            return item(other, cursor.at)
        }
    }
}
