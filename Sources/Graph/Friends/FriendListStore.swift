import Foundation
import Kernel
package import Postgres
import Web

/// The lists of a user's relationships. Cursors use values that do not change while a row is listed.
///
/// The lists of friends are empty if the user is not active, so that they need no second look-up.
package struct FriendListStore: Sendable {
    package var db: Database

    package init(db: Database) {
        self.db = db
    }

    /// Returns the friends, newest first.
    func friends(of user: User.ID, after cursor: Cursor?, limit: Int) async throws -> FriendListPage {
        let rows = try await db.lists.with(key: user).rows(
            """
            SELECT other_avatar_url, other_display_name, other_metadata, since, other_uid, other_username, other_id
            FROM relationships
            WHERE user_id = \(user) AND \(FriendStore.isVisibleFriend())
              AND EXISTS (SELECT FROM users WHERE id = \(user) AND status = 'active')
              AND \(Cursor.page(behind: cursor, "since", "other_id", limit: limit + 1))
            """)
        return FriendListPage(rows: rows, limit: limit, order: .recent)
    }

    /// Returns the friends by name: the display name, or the username of a friend without one. With a prefix
    /// it returns those whose username, or a word of whose name, begins with it. Only a friend who renames
    /// between two pages may be on both or on neither.
    func friendsByName(
        of user: User.ID, prefix: String?, after cursor: NameCursor?, limit: Int
    ) async throws -> FriendListPage {
        let isFound: Statement =
            prefix.map { prefix in
                """
                AND (starts_with(fold(other_username), \(prefix))
                     OR strpos(' ' || other_sort_key, ' ' || (SELECT sort_key(\(prefix)))) > 0)
                """
            } ?? ""
        let rows = try await db.lists.with(key: user).rows(
            """
            SELECT other_avatar_url, other_display_name, other_metadata, since, other_uid, other_username, other_id,
                   other_sort_key
            FROM relationships
            WHERE user_id = \(user) AND \(FriendStore.isVisibleFriend())
              AND EXISTS (SELECT FROM users WHERE id = \(user) AND status = 'active')
              AND (other_sort_key, other_id) > (\(cursor?.name ?? ""), \(cursor?.id ?? .zero)) \(isFound)
            ORDER BY other_sort_key, other_id LIMIT \(limit + 1)
            """)
        return FriendListPage(rows: rows, limit: limit, order: .name)
    }

    /// Returns the requests received, newest first.
    func incoming(to user: User.ID, after cursor: Cursor?, limit: Int) async throws -> ListPage<FriendRequest>
    {
        let page = try await others(
            of: user, "heard_at", "heard_at IS NOT NULL AND NOT they_away", after: cursor, limit)
        return try await requests(page, of: user)
    }

    /// Returns the requests sent, newest first. A user who declined or blocks looks like one who has not
    /// answered, and a suspended or deleted user like one who never existed.
    func outgoing(from user: User.ID, after cursor: Cursor?, limit: Int) async throws -> ListPage<
        FriendRequest
    > {
        try await requests(
            others(of: user, "asked_at", "asked_at IS NOT NULL", after: cursor, limit), of: user)
    }

    /// Returns the users whom the user blocks, newest first.
    func blocked(by user: User.ID, after cursor: Cursor?, limit: Int) async throws -> ListPage<BlockedUser> {
        let page = try await others(of: user, "blocked_at", "blocked_at IS NOT NULL", after: cursor, limit)
        let profiles = try await profiles(of: page, for: user)
        return page.map { other in
            let profile = profiles[other.id]
            return BlockedUser(uid: other.uid, profile: profile, detail: Block(blockedAt: other.at))
        }
    }

    /// Another user in one of these lists.
    private struct Other {
        var id: User.ID
        var uid: User.UID
        var at: Date
    }

    /// - Parameters:
    ///   - time: the column by which the list is sorted.
    ///   - isListed: the condition for rows of the list.
    private func others(
        of user: User.ID, _ time: Statement, _ isListed: Statement, after cursor: Cursor?, _ limit: Int
    ) async throws -> ListPage<Other> {
        let rows = try await db.lists.with(key: user).query(
            """
            SELECT other_id, other_uid, \(time) FROM relationships
            WHERE user_id = \(user) AND \(isListed)
              AND \(Cursor.page(behind: cursor, time, "other_id", limit: limit + 1))
            """
        ) { row in
            let other = try Other(
                id: User.ID(row.next()), uid: User.UID(stored: row.next()), at: row.next())
            return (at: other.at, id: other.id.uuid, item: other)
        }
        return ListPage(rows, limit: limit)
    }

    private func profiles(of page: ListPage<Other>, for user: User.ID) async throws -> [User.ID: User.Profile]
    {
        try await UserStore.profiles(of: Set(page.items.map(\.id)), on: db.lists.with(key: user))
    }

    private func requests(_ page: ListPage<Other>, of user: User.ID) async throws -> ListPage<FriendRequest> {
        async let named = profiles(of: page, for: user)
        let counts = try await friendsInCommon(of: user, with: page.items.map(\.id))
        let profiles = try await named
        return page.map { other in
            let profile = profiles[other.id]
            let mutual = profile.map { _ in counts[other.id] ?? 0 }
            return FriendRequest(
                uid: other.uid, profile: profile,
                detail: PendingRequest(requestedAt: other.at, mutualFriends: mutual))
        }
    }

    /// Returns how many friends each has in common with the user. Each of a hundred users may have a thousand
    /// friends, so this is a walk of the graph, for which the lane of lists should not wait.
    private func friendsInCommon(of user: User.ID, with others: [User.ID]) async throws -> [User.ID: Int] {
        guard !others.isEmpty else { return [:] }
        let rows = try await db.walks.with(key: user).query(
            """
            WITH mine AS MATERIALIZED (
                SELECT other_id FROM relationships
                WHERE user_id = \(user) AND \(FriendStore.isVisibleFriend()))
            SELECT r.user_id, count(*) FROM relationships r JOIN mine ON mine.other_id = r.other_id
            WHERE r.user_id = ANY(\(others.map(\.uuid))) AND \(FriendStore.isVisibleFriend("r."))
            GROUP BY r.user_id
            """
        ) { try (User.ID($0.next()), $0.next(as: Int.self)) }
        return Dictionary(uniqueKeysWithValues: rows)
    }

    /// Returns the user's relationship to each of these. Users without a row have none.
    func relationships(of user: User.ID, to others: [User.ID]) async throws -> [User.ID: RelationshipRow] {
        let rows = try await db.lists.with(key: user).query(
            """
            SELECT other_id, i_block, they_block, they_away, since, asked_at, heard_at
            FROM relationships WHERE user_id = \(user) AND other_id = ANY(\(others.map(\.uuid)))
            """
        ) { try (User.ID($0.next()), RelationshipRow(row: &$0)) }
        return Dictionary(uniqueKeysWithValues: rows)
    }

    /// Returns the relationship of each of these to the user, and the profiles of those who may be seen.
    func known(_ others: [User.ID], to user: User.ID) async throws -> [User.ID: KnownUser] {
        async let seen = UserStore.profiles(of: Set(others), on: db.lists.with(key: user))
        let rows = try await relationships(of: user, to: others)
        let profiles = try await seen
        return Dictionary(
            others.map { id in
                let row = rows[id] ?? RelationshipRow()
                return (id, KnownUser(profile: row.theyAway ? nil : profiles[id], row: row))
            }
        ) { one, _ in one }
    }
}

/// A page of friends as PostgreSQL returned it. Its fields are written directly as JSON, because creating
/// values in between took longer than finding the rows.
struct FriendListPage: Sendable {
    enum Order: String, Sendable {
        case recent, name
    }

    /// The columns are avatar, display name, metadata, since, uid, username, id and, in order of names, the
    /// key of that order. There is one row more than the page has if another page follows.
    let rows: Rows
    let limit: Int
    let order: Order

    var isEmpty: Bool { rows.isEmpty }

    /// Returns the cursor of the next page. Nil if this is the last.
    func next() throws -> Cursor? {
        guard rows.count > limit else { return nil }
        var row = rows[limit - 1]
        let (_, _, _): (String?, String?, String?) = try (row.next(), row.next(), row.next())
        let (since, _, _): (Date, String, String) = try (row.next(), row.next(), row.next())
        let id: UUID = try row.next()
        return switch order {
        case .recent: Cursor(at: since, id: id)
        case .name: NameCursor(name: try row.next(), id: id).cursor
        }
    }

    /// Returns the page's JSON.
    func json(next: String?) throws -> JSONText {
        let shown = min(rows.count, limit)
        var text = JSONText(capacity: 64 + shown * 256)
        text.raw("{\"friends\":[")
        for position in 0..<shown {
            text.raw(position > 0 ? ",{" : "{")
            var row = rows[position]
            try row.nextText { avatar in
                guard let avatar else { return }
                text.raw("\"avatarUrl\":\"")
                text.escaped(avatar)
                text.raw("\",")
            }
            try row.nextText { name in
                guard let name else { return }
                text.raw("\"displayName\":\"")
                text.escaped(name)
                text.raw("\",")
            }
            try row.nextText { metadata in
                guard let metadata else { return }
                text.raw("\"metadata\":")
                text.raw(metadata)
                text.raw(",")
            }
            text.raw("\"since\":\"")
            text.timestamp(try row.next())
            text.raw("\",\"uid\":\"")
            try row.nextText { text.escaped($0) }
            text.raw("\",\"username\":\"")
            try row.nextText { text.escaped($0) }
            text.raw("\"}")
        }
        text.raw("]")
        if let next {
            text.raw(",\"next\":\"")
            text.escaped(next)
            text.raw("\"")
        }
        text.raw("}")
        return text
    }
}

/// The cursor of a list by name.
struct NameCursor {
    var name: String
    var id: UUID

    init(name: String, id: UUID) {
        self.name = name
        self.id = id
    }

    init?(_ cursor: Cursor?) {
        guard let cursor, let id = cursor.id else { return nil }
        self.init(name: cursor.parts[0], id: id)
    }

    var cursor: Cursor { Cursor(parts: [name, id.uuidString]) }
}
