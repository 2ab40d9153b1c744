import Foundation
import Kernel
package import Postgres
import Web

/// Puts a user's timeline together from the tables that keep parts of it.
package struct TimelineStore: Sendable {
    package var db: Database

    package init(db: Database) {
        self.db = db
    }

    /// The most codes that are read, which is as many as an owner can have with the highest limits.
    private static let mostCodes = 10_000

    /// Returns a page, newest first. Nil if the user never had an account.
    ///
    /// Each statement returns the newest entries of one table behind the cursor, so the newest of all are
    /// among them. Entries of one instant are in the order of their keys, which say what they are.
    func page(of user: User.ID, after cursor: Cursor?, limit: Int) async throws -> Timeline? {
        guard let record = try await UserRecordStore(db: db).find(user) else { return nil }
        let codes = try await codes(of: user)
        let sources = Self.sources(of: user, codes, after: cursor, limit: limit + 1)
        let found = try await db.bulk.together(sources).flatMap { try $0.map(Found.init(row:)) }
        let newest = found.sorted(by: Found.isAhead).prefix(limit + 1)
        let entries = try await named(Array(newest), user)
        let rows = zip(newest, entries).map { (cursor: Cursor(at: $0.entry.at, id: $0.key), item: $1) }
        return try await Timeline(
            user: record, page: ListPage(rows, limit: limit), logBegins: EventLogStore(db: db).begins())
    }

    /// An entry as its statement returns it.
    private struct Found {
        var key: String
        var other: User.ID?
        var entry: TimelineEntry

        init(row: inout Row) throws {
            let (at, key, what): (Date, String, String) = try (row.next(), row.next(), row.next())
            self.key = key
            entry = TimelineEntry(at: at, what: TimelineEntry.What(rawValue: what) ?? .operatorAct)
            other = try row.next(as: UUID?.self).map(User.ID.init)
            (entry.username, entry.until, entry.severed) = try (row.next(), row.next(), row.next())
            (entry.code, entry.kind) = try (row.next(), row.next())
            (entry.act, entry.reason, entry.actor) = try (row.next(), row.next(), row.next())
        }

        /// Whether one entry comes before the other. Keys are compared by bytes, as PostgreSQL does.
        static func isAhead(_ one: Found, _ other: Found) -> Bool {
            one.entry.at != other.entry.at
                ? one.entry.at > other.entry.at
                : one.key.utf8.lexicographicallyPrecedes(other.key.utf8)
        }
    }

    private func codes(of owner: User.ID) async throws -> [String] {
        try await db.bulk.query(
            "SELECT code FROM invites_by_owner WHERE owner_id = \(owner) ORDER BY code LIMIT \(Self.mostCodes)"
        ) { try $0.next() }
    }

    /// Adds the other users. It also tells a suspended friend from a former friend, even if the friendship
    /// ended during the suspension, about which the user's log has nothing.
    private func named(_ found: [Found], _ user: User.ID) async throws -> [TimelineEntry] {
        let friends = Set(
            found.filter { [.befriended, .parted].contains($0.entry.what) }.compactMap(\.other))
        let log = EventLogStore(db: db)
        let friendships = try await log.friendships(of: user, with: friends)
        let away = try await log.suspensions(
            of: friends, at: Set(friendships.values.flatMap { $0.changes.map(\.at) }))
        let others = try await UserRecordStore(db: db).briefs(Set(found.compactMap(\.other)))
        return found.map { one in
            var entry = one.entry
            guard let other = one.other else { return entry }
            entry.other = others[other]
            guard let hidden = away[other], hidden.contains(entry.at) else { return entry }
            if entry.what == .befriended {
                entry.what = .friendBack
            } else if friendships[other]?.stood(after: entry.at, hidden: hidden) == true {
                entry.what = .friendAway
            }
            return entry
        }
    }
}

/// The statements. Their columns are: time, key, what, the other user, username, until when, severed, code,
/// kind, act, reason, key.
extension TimelineStore {
    fileprivate static func sources(
        of user: User.ID, _ codes: [String], after cursor: Cursor?, limit: Int
    ) -> [Statement] {
        [
            signUp(user, cursor, limit), names(user, cursor, limit), freeze(user, cursor, limit),
            created(codes, cursor, limit), revoked(codes, cursor, limit), joined(user, cursor, limit),
            friendships(user, cursor, limit), events(user, codes, cursor, limit), acts(user, cursor, limit),
        ]
    }

    private static func signUp(_ user: User.ID, _ cursor: Cursor?, _ limit: Int) -> Statement {
        """
        SELECT created_at, 'signup', 'user.signed_up',
               (SELECT inviter_id FROM acceptances WHERE invitee_id = \(user)), NULL, NULL::timestamptz, NULL::bool,
               (SELECT code FROM acceptances WHERE invitee_id = \(user)), NULL, NULL, NULL, NULL
        FROM users WHERE id = \(user) AND \(Cursor.page(behind: cursor, "created_at", text: "'signup' COLLATE \"C\"", limit: limit))
        """
    }

    private static func names(_ user: User.ID, _ cursor: Cursor?, _ limit: Int) -> Statement {
        let key: Statement = "('name:' || name_key) COLLATE \"C\""
        return """
            SELECT valid_from, \(key), 'username.taken', NULL::uuid, username, valid_to, severed,
                   NULL, NULL, NULL, NULL, NULL
            FROM username_periods WHERE user_id = \(user) AND \(Cursor.page(behind: cursor, "valid_from", text: key, limit: limit))
            """
    }

    private static func freeze(_ user: User.ID, _ cursor: Cursor?, _ limit: Int) -> Statement {
        """
        SELECT frozen_at, 'frozen', 'user.frozen', NULL::uuid, NULL, NULL::timestamptz, NULL::bool, NULL, NULL,
               NULL, frozen_reason, NULL
        FROM users WHERE id = \(user) AND frozen_at IS NOT NULL
          AND \(Cursor.page(behind: cursor, "frozen_at", text: "'frozen' COLLATE \"C\"", limit: limit))
        """
    }

    private static func created(_ codes: [String], _ cursor: Cursor?, _ limit: Int) -> Statement {
        let key: Statement = "('invite.created:' || code) COLLATE \"C\""
        return """
            SELECT created_at, \(key), 'invite.created', NULL::uuid, NULL, NULL::timestamptz, NULL::bool, code, kind,
                   NULL, NULL, NULL
            FROM invites WHERE code = ANY(\(codes)) AND \(Cursor.page(behind: cursor, "created_at", text: key, limit: limit))
            """
    }

    private static func revoked(_ codes: [String], _ cursor: Cursor?, _ limit: Int) -> Statement {
        let key: Statement = "('invite.revoked:' || code) COLLATE \"C\""
        return """
            SELECT revoked_at, \(key), 'invite.revoked', NULL::uuid, NULL, NULL::timestamptz, NULL::bool, code, kind,
                   NULL, NULL, NULL
            FROM invites WHERE code = ANY(\(codes)) AND revoked_at IS NOT NULL
              AND \(Cursor.page(behind: cursor, "revoked_at", text: key, limit: limit))
            """
    }

    private static func joined(_ user: User.ID, _ cursor: Cursor?, _ limit: Int) -> Statement {
        let key: Statement = "('joined:' || invitee_id) COLLATE \"C\""
        return """
            SELECT accepted_at, \(key), 'invite.joined', invitee_id, NULL, NULL::timestamptz, NULL::bool, code, NULL,
                   NULL, NULL, NULL
            FROM acceptances WHERE inviter_id = \(user)
              AND \(Cursor.page(behind: cursor, "accepted_at", text: key, limit: limit))
            """
    }

    private static func acts(_ user: User.ID, _ cursor: Cursor?, _ limit: Int) -> Statement {
        let key: Statement = "('act:' || id) COLLATE \"C\""
        return """
            SELECT at, \(key), 'operator.act', NULL::uuid, NULL, NULL::timestamptz, NULL::bool, NULL, NULL,
                   act, reason, actor
            FROM audit WHERE user_id = \(user) AND \(Cursor.page(behind: cursor, "at", text: key, limit: limit))
            """
    }

    /// Returns friendships that began before the log did, or came by an import.
    private static func friendships(_ user: User.ID, _ cursor: Cursor?, _ limit: Int) -> Statement {
        let key: Statement = "('friend.created:' || r.other_id) COLLATE \"C\""
        return """
            WITH \(EventLogStore.log(of: user))
            SELECT r.since, \(key), 'friend.created', r.other_id, NULL, NULL::timestamptz, NULL::bool, NULL, NULL,
                   NULL, NULL, NULL
            FROM relationships r WHERE r.user_id = \(user) AND r.since IS NOT NULL
              AND NOT EXISTS (
                SELECT FROM log WHERE log.other_id = r.other_id AND log.type = 'friend.created' AND log.at = r.since)
              AND \(Cursor.page(behind: cursor, "r.since", text: key, limit: limit))
            """
    }

    /// Returns entries of the log. Of links it has only those that are gone from the other tables.
    private static func events(
        _ user: User.ID, _ codes: [String], _ cursor: Cursor?, _ limit: Int
    ) -> Statement {
        let key: Statement =
            "(type || ':' || coalesce(other_id::text, facts::jsonb->>'code', '')) COLLATE \"C\""
        return """
            WITH \(EventLogStore.log(of: user))
            SELECT at, \(key), type, other_id, NULL, NULL::timestamptz, NULL::bool, facts::jsonb->>'code',
                   facts::jsonb->>'kind', NULL, NULL, NULL
            FROM log
            WHERE (type IN ('friend.created', 'friend.ended', 'user.suspended', 'user.returned', 'user.deleted')
                   OR (type IN ('invite.created', 'invite.revoked') AND facts::jsonb->>'code' <> ALL(\(codes))))
              AND \(Cursor.page(behind: cursor, "at", text: key, limit: limit))
            """
    }
}
