import Foundation
import Postgres

/// Reads all that is stored of a user, in one batch on the lane `bulk`.
struct ExportStore: Sendable {
    var db: Database

    func export(_ user: User.ID) async throws -> Export? {
        let results = try await db.bulk.with(key: user).batch([
            Self.account(user), Self.names(user), Self.origin(user), Self.invited(user), Self.links(user),
            Self.joined(user), Self.relationships(user), Self.dismissals(user), Self.usedLinks(user),
        ])
        guard var export = try results[0].first(Export.init(account:)) else { return nil }
        export.usernames = try results[1].map {
            try Export.Name(
                username: $0.next(), from: $0.next(), to: $0.next(), severed: $0.next(), heldUntil: $0.next())
        }
        export.invitedBy = try results[2].first(Export.Origin.init(row:))
        export.invited = try results[3].map(Export.Person.init(row:))
        let joined = try Dictionary(grouping: results[5].map(Export.Person.init(row:)), by: \.code)
        export.invites = try results[4].map { row in
            var link = try Export.Link(row: &row)
            link.joined = joined[link.code] ?? []
            return link
        }
        _ = try results[6].map { try export.add(relationship: &$0) }
        export.dismissed = try results[7].map { try Export.Dismissed(uid: $0.next(), at: $0.next()) }
        export.usedLinks = try results[8].map { try Export.UsedLink(code: $0.next(), at: $0.next()) }
        return export
    }

    private static func account(_ user: User.ID) -> Statement {
        """
        SELECT u.uid, u.username, u.display_name, u.status, u.created_at, u.invite_code, u.frozen_at,
               s.username, s.display_name, s.outcome, s.reason, s.friendship, s.created_at
        FROM users u LEFT JOIN signups s ON s.user_id = u.id WHERE u.id = \(user)
        """
    }

    private static func names(_ user: User.ID) -> Statement {
        """
        WITH periods AS MATERIALIZED (
            SELECT name_key, username, valid_from, valid_to, severed FROM username_periods WHERE user_id = \(user))
        SELECT p.username, p.valid_from, p.valid_to, p.severed,
               (SELECT n.held_until FROM usernames n WHERE n.name_key = p.name_key AND n.user_id = \(user))
        FROM periods p ORDER BY p.valid_from, p.valid_to NULLS LAST
        """
    }

    private static func origin(_ user: User.ID) -> Statement {
        """
        WITH came AS MATERIALIZED (
            SELECT inviter_id, code, accepted_at FROM acceptances WHERE invitee_id = \(user)),
        seen AS MATERIALIZED (
            SELECT u.id, u.uid, u.username, u.display_name FROM came JOIN users u ON u.id = came.inviter_id
            WHERE u.status = 'active')
        SELECT seen.uid, seen.username, seen.display_name, came.code, came.accepted_at
        FROM came LEFT JOIN seen ON seen.id = came.inviter_id
        """
    }

    private static func invited(_ user: User.ID) -> Statement {
        """
        WITH came AS MATERIALIZED (
            SELECT invitee_id AS id, accepted_at AS at, code FROM acceptances WHERE inviter_id = \(user))
        SELECT u.uid, u.username, u.display_name, came.at, came.code
        FROM came JOIN users u ON u.id = came.id
        WHERE u.status = 'active'
        ORDER BY came.at DESC, came.id
        """
    }

    private static func links(_ user: User.ID) -> Statement {
        """
        WITH codes AS MATERIALIZED (
            SELECT code, idempotency_key FROM links_by_owner WHERE owner_id = \(user)
            UNION ALL
            SELECT invite_code, NULL FROM users
            WHERE id = \(user) AND NOT EXISTS (
                SELECT FROM links_by_owner WHERE owner_id = \(user) AND code = users.invite_code))
        SELECT l.code, l.kind, l.friendship, l.label, l.max_uses, l.uses, l.expires_at, l.revoked_at, l.created_at,
               codes.idempotency_key
        FROM codes JOIN links l ON l.code = codes.code
        ORDER BY l.created_at DESC, l.code
        """
    }

    private static func joined(_ user: User.ID) -> Statement {
        """
        WITH codes AS MATERIALIZED (
            SELECT code FROM links_by_owner WHERE owner_id = \(user)
            UNION SELECT invite_code FROM users WHERE id = \(user)),
        uses AS MATERIALIZED (
            SELECT w.code, w.user_id AS id, w.at FROM codes JOIN link_uses w ON w.code = codes.code)
        SELECT u.uid, u.username, u.display_name, uses.at, uses.code
        FROM uses JOIN users u ON u.id = uses.id
        WHERE u.status = 'active'
        ORDER BY uses.at DESC, uses.id
        """
    }

    private static func usedLinks(_ user: User.ID) -> Statement {
        "SELECT code, at FROM link_uses WHERE user_id = \(user) ORDER BY at, code"
    }

    private static func relationships(_ user: User.ID) -> Statement {
        """
        WITH mine AS MATERIALIZED (
            SELECT other_id, other_uid, i_block, they_block, they_away, since, asked_at, heard_at,
                   blocked_at, declines, quiet_until
            FROM relationships WHERE user_id = \(user)),
        seen AS MATERIALIZED (
            SELECT u.id, u.username, u.display_name FROM mine JOIN users u ON u.id = mine.other_id
            WHERE u.status = 'active')
        SELECT mine.other_uid, seen.username, seen.display_name, mine.i_block, mine.they_block, mine.they_away,
               mine.since, mine.asked_at, mine.heard_at, mine.blocked_at, mine.declines, mine.quiet_until
        FROM mine LEFT JOIN seen ON seen.id = mine.other_id
        ORDER BY coalesce(mine.since, mine.blocked_at, mine.asked_at, mine.heard_at) DESC NULLS LAST, mine.other_id
        """
    }

    private static func dismissals(_ user: User.ID) -> Statement {
        """
        SELECT other_uid, dismissed_at FROM dismissals
        WHERE user_id = \(user) ORDER BY dismissed_at DESC, other_id
        """
    }
}

extension Export {
    fileprivate init(account row: inout Row) throws {
        profile = try Profile(
            uid: row.next(), username: row.next(), displayName: row.next(), status: row.next(),
            createdAt: row.next(), inviteCode: row.next(), invitesFrozenAt: row.next())
        let (username, displayName, outcome): (String?, String?, String?) = try (
            row.next(), row.next(), row.next()
        )
        let (reason, friendship, at): (String?, String?, Date?) = try (row.next(), row.next(), row.next())
        if let username, let outcome, let friendship, let at {
            signUp = SignUp(
                username: username, displayName: displayName, invite: outcome, reason: reason,
                friendship: friendship, at: at)
        }
    }

    /// Each goes where the lists show it.
    fileprivate mutating func add(relationship row: inout Row) throws {
        let uid: String = try row.next()
        let (username, displayName): (String?, String?) = try (row.next(), row.next())
        let state = try RelationshipRow(row: &row)
        let (blockedAt, declines, quietUntil): (Date?, Int, Date?) = try (row.next(), row.next(), row.next())
        func request(_ at: Date) -> FriendRequest {
            FriendRequest(
                uid: uid, username: username, displayName: displayName, requestedAt: at, mutualFriends: nil)
        }
        switch (state.relationship, state.since, state.askedAt, state.heardAt, blockedAt, username) {
        case (.friends, let since?, _, _, _, let username?):
            friends.append(Friend(uid: uid, username: username, displayName: displayName, since: since))
        case (.outgoing, _, let at?, _, _, _): requests.outgoing.append(request(at))
        case (.incoming, _, _, let at?, _, _): requests.incoming.append(request(at))
        case (.blocked, _, _, _, let at?, _):
            blocks.append(
                BlockedUser(uid: uid, username: username, displayName: displayName, blockedAt: at))
        default: break
        }
        if declines > 0 { declined.append(Declined(uid: uid, times: declines, quietUntil: quietUntil)) }
    }
}

extension Export.Origin {
    fileprivate init(row: inout Row) throws {
        let (uid, username, displayName): (String?, String?, String?) = try (
            row.next(), row.next(), row.next()
        )
        if let uid, let username {
            inviter = User.Profile(uid: uid, username: username, displayName: displayName)
        }
        code = try row.next()
        at = try row.next()
    }
}

extension Export.Person {
    fileprivate init(row: inout Row) throws {
        try self.init(
            uid: row.next(), username: row.next(), displayName: row.next(), at: row.next(), code: row.next())
    }
}

extension Export.Link {
    fileprivate init(row: inout Row) throws {
        try self.init(
            code: row.next(), kind: row.next(), friendship: row.next(), label: row.next(),
            maxUses: row.next(), uses: row.next(), expiresAt: row.next(), revokedAt: row.next(),
            createdAt: row.next(), idempotencyKey: row.next())
    }
}
