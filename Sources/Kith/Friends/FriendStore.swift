import Foundation
import Postgres

/// Every statement on `relationships`.
struct FriendStore: Sendable {
    var db: Database

    /// One of a pair.
    struct Party: Sendable {
        var id: User.ID
        var uid: User.UID
        /// Wants to be the other's friend.
        var wants: Bool
    }

    /// Both rows of a pair, the one with the smaller id first: crossing changes meet on one lock. What
    /// either side wants is added to what it wanted before; a block is never touched.
    static func connect(_ one: Party, _ other: Party) -> [Statement] {
        one.id < other.id
            ? [upsert(of: one, to: other), upsert(of: other, to: one)]
            : [upsert(of: other, to: one), upsert(of: one, to: other)]
    }

    private static func upsert(of me: Party, to other: Party) -> Statement {
        """
        INSERT INTO relationships AS r (user_id, other_id, other_uid, i_want, they_want, since)
        VALUES (\(me.id), \(other.id), \(other.uid), \(me.wants), \(other.wants),
                CASE WHEN \(me.wants && other.wants) THEN now() END)
        ON CONFLICT (user_id, other_id) DO UPDATE
        SET i_want = r.i_want OR excluded.i_want, they_want = r.they_want OR excluded.they_want,
            since = CASE WHEN (r.i_want OR excluded.i_want) AND (r.they_want OR excluded.they_want)
                         THEN coalesce(r.since, excluded.touched_at) END,
            touched_at = excluded.touched_at, seq = r.seq + 1
        WHERE NOT (r.i_block OR r.they_block)
          AND (excluded.i_want AND NOT r.i_want OR excluded.they_want AND NOT r.they_want)
        """
    }

    /// Ends the batch with `limit_reached` where the user has as many friends as allowed and the other
    /// is none of them. Counted under the lock on the user's row, which every writer takes first.
    static func requireRoom(for user: User.ID, besides other: User.ID, limit: Int) -> Statement {
        """
        SELECT require(
            (SELECT count(*) FROM relationships WHERE user_id = \(user) AND since IS NOT NULL) < \(limit)
            OR EXISTS (SELECT FROM relationships
                       WHERE user_id = \(user) AND other_id = \(other) AND since IS NOT NULL),
            'limit_reached')
        """
    }

    static func row(of user: User.ID, to other: User.ID) -> Statement {
        """
        SELECT i_want, they_want, i_block, they_block, since IS NOT NULL
        FROM relationships WHERE user_id = \(user) AND other_id = \(other)
        """
    }

    func relationship(of user: User.ID, to other: User.ID) async throws -> RelationshipRow {
        try await db.read.first(Self.row(of: user, to: other), RelationshipRow.init(row:))
            ?? RelationshipRow()
    }

    /// Friends, newest first, from after `cursor` on; and where the next page begins.
    ///
    /// A page may hold fewer than `limit` although more follow: suspended friends are left out.
    func friends(of user: User.ID, after cursor: Cursor?, limit: Int) async throws -> (
        page: [Friend], next: Cursor?
    ) {
        let rows = try await db.read.query(
            """
            WITH edges AS MATERIALIZED (
                SELECT other_id, since FROM relationships
                WHERE user_id = \(user) AND since IS NOT NULL AND since <= \(cursor?.at ?? .distantFuture)
                  AND (since < \(cursor?.at ?? .distantFuture) OR other_id > \(cursor?.id))
                ORDER BY since DESC, other_id LIMIT \(limit + 1))
            SELECT edges.other_id, edges.since, u.status = 'active', u.uid, u.username, u.display_name
            FROM edges JOIN users u ON u.id = edges.other_id
            ORDER BY edges.since DESC, edges.other_id
            """
        ) { row in
            let cursor = try Cursor(key: row.next(as: UUID.self).uuidString, since: row.next())
            let isActive: Bool = try row.next()
            let friend = try Friend(
                uid: row.next(), username: row.next(), displayName: row.next(),
                since: JSON.timestamp(cursor.at))
            return (cursor: cursor, friend: isActive ? friend : nil)
        }
        let page = rows.prefix(limit)
        return (page.compactMap(\.friend), rows.count > limit ? page.last?.cursor : nil)
    }

    func count(of user: User.ID) async throws -> Int {
        try await db.read.first(
            """
            WITH edges AS MATERIALIZED (
                SELECT other_id FROM relationships WHERE user_id = \(user) AND since IS NOT NULL)
            SELECT count(*) FROM edges JOIN users u ON u.id = edges.other_id WHERE u.status = 'active'
            """
        ) { try $0.next() } ?? 0
    }
}

extension RelationshipRow {
    init(row: inout Row) throws {
        try self.init(
            iWant: row.next(), theyWant: row.next(), iBlock: row.next(), theyBlock: row.next(),
            areFriends: row.next())
    }
}

extension Cursor {
    fileprivate init(key: String, since: Date) {
        self.init(at: since, key: key)
    }

    fileprivate var id: UUID? { UUID(uuidString: key) }
}
