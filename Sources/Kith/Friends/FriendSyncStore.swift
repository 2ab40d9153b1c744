import Foundation
import Postgres

/// Changes of a user's relationships, in the order of the transactions that made them.
///
/// A transaction that began early may commit late, so no number can say how far a client has synced. A PostgreSQL snapshot
/// can: it names the transactions that were still running. Changes that it did not see are new, and none is missed.
struct FriendSyncStore: Sendable {
    var db: Database

    /// How far a sync has come.
    struct Position: Sendable {
        /// The server, its timeline and the database, since each numbers transactions by itself.
        var server: String
        /// The `pg_snapshot` of the previous sync: changes that it did not see are new.
        var since: String
        /// The `pg_snapshot` of this sync's first page, at which the next sync begins.
        var until: String
        /// The last change on the previous page; nil at the beginning of a sync.
        var last: (transaction: String, id: UUID)?

        /// A snapshot that saw nothing, so that everything is new.
        static let nothing = "1:1:"
    }

    /// The position is from another server, or from a state of this one that was since lost, or older than ends that are no
    /// longer kept.
    struct Lost: Error {}

    /// Returns up to `limit` changes after a position, and the next position. Throws `Lost`.
    ///
    /// A position must have seen all transactions up to the latest forgotten end: one that began before it may have committed
    /// after it. A position ahead of this server is another server's.
    /// - Parameter position: nil for the current state, without ended relationships.
    func changes(of user: User.ID, from position: Position?, limit: Int) async throws -> (
        changes: [FriendChange], next: Position, hasMore: Bool
    ) {
        let since = position?.since ?? Position.nothing
        let last = position?.last
        let rows = try await db.lists.with(key: user).query(
            """
            WITH visit AS MATERIALIZED (
                SELECT concat_ws('.', to_hex(system_identifier), left(pg_walfile_name(pg_current_wal_insert_lsn()), 8),
                                 left(md5(current_database()), 8)) AS server,
                       pg_current_snapshot() AS seen,
                       pg_snapshot_xmax(pg_current_snapshot()) < pg_snapshot_xmax(\(since)::text::pg_snapshot)
                       OR EXISTS (
                           SELECT FROM users WHERE id = \(user) AND \(since != Position.nothing)
                           AND ends_forgotten_in >= pg_snapshot_xmin(\(since)::text::pg_snapshot)
                           AND ends_forgotten_in < pg_snapshot_xmax(pg_current_snapshot())) AS is_lost
                FROM pg_control_system()),
            mine AS MATERIALIZED (
                SELECT other_id, other_uid, i_block, they_block, they_away, since, asked_at, heard_at, blocked_at,
                       changed_in AS at
                FROM relationships
                WHERE user_id = \(user) AND changed_in >= pg_snapshot_xmin(\(since)::text::pg_snapshot)
                  AND NOT pg_visible_in_snapshot(changed_in, \(since)::text::pg_snapshot)
                  AND (changed_in, other_id) > (\(last?.transaction ?? "0")::text::xid8, \(last?.id ?? .zero))
                  AND (\(since != Position.nothing) OR i_block OR asked_at IS NOT NULL
                       OR ((since IS NOT NULL OR heard_at IS NOT NULL) AND NOT they_away))
                ORDER BY changed_in, other_id LIMIT \(limit + 1)),
            -- The others are listed if their names changed; rows of `mine` have the names of now anyway.
            known AS MATERIALIZED (
                SELECT other_id, other_uid, i_block, they_block, they_away, since, asked_at, heard_at, blocked_at
                FROM relationships
                WHERE user_id = \(user) AND \(since != Position.nothing) AND NOT they_away
                  AND pg_visible_in_snapshot(changed_in, \(since)::text::pg_snapshot)
                  AND (since IS NOT NULL OR asked_at IS NOT NULL OR heard_at IS NOT NULL)),
            theirs AS MATERIALIZED (
                SELECT known.*, u.changed_in AS at FROM known JOIN users u ON u.id = known.other_id
                WHERE \(UserStore.isVisible()) AND NOT pg_visible_in_snapshot(u.changed_in, \(since)::text::pg_snapshot)
                  AND (u.changed_in, u.id) > (\(last?.transaction ?? "0")::text::xid8, \(last?.id ?? .zero))
                ORDER BY u.changed_in, u.id LIMIT \(limit + 1)),
            page AS MATERIALIZED (
                SELECT * FROM (SELECT * FROM mine UNION ALL SELECT * FROM theirs) both_of
                ORDER BY at, other_id LIMIT \(limit + 1)),
            \(UserStore.seen(in: "page", by: "other_id"))
            SELECT visit.server, visit.seen::text, visit.is_lost,
                   page.at::text, page.other_id, page.other_uid, page.i_block, page.they_block, page.they_away,
                   page.since, page.asked_at, page.heard_at, page.blocked_at, seen.username, seen.display_name
            FROM visit LEFT JOIN page ON true LEFT JOIN seen ON seen.id = page.other_id
            ORDER BY page.at, page.other_id
            """
        ) { row in
            (visit: try Visit(row: &row), change: try Change(row: &row))
        }
        guard let visit = rows.first?.visit, !visit.isLost,
            position.map({ $0.server == visit.server }) ?? true
        else { throw Lost() }
        let changes = rows.compactMap(\.change)
        let until = last == nil ? visit.seen : position?.until ?? visit.seen
        var next = Position(server: visit.server, since: since, until: until)
        if changes.count > limit {
            next.last = (changes[limit - 1].transaction, changes[limit - 1].id)
        } else {
            (next.since, next.until) = (until, "")
        }
        return (changes.prefix(limit).map(\.change), next, changes.count > limit)
    }

    private struct Visit {
        var server: String
        var seen: String
        var isLost: Bool

        init(row: inout Row) throws {
            (server, seen, isLost) = try (row.next(), row.next(), row.next())
        }
    }

    private struct Change {
        var transaction: String
        var id: UUID
        var change: FriendChange

        /// Nil if the page is empty.
        init?(row: inout Row) throws {
            guard let transaction: String = try row.next() else { return nil }
            self.transaction = transaction
            id = try row.next()
            let uid: String = try row.next()
            let state = try RelationshipRow(row: &row)
            let blockedAt: Date? = try row.next()
            let (username, displayName): (String?, String?) = try (row.next(), row.next())
            let relationship = state.relationship
            let since: Date? =
                switch relationship {
                case .none: nil
                case .friends: state.since
                case .outgoing: state.askedAt
                case .incoming: state.heardAt
                case .blocked: blockedAt
                }
            change = FriendChange(
                uid: uid, relationship: relationship, username: relationship == .none ? nil : username,
                displayName: relationship == .none ? nil : displayName, since: since)
        }
    }
}

/// As a cursor: server, since, until and, within a visit, transaction and id.
extension FriendSyncStore.Position {
    init?(_ cursor: Cursor?) {
        guard let parts = cursor?.parts, parts.count >= 3 else { return nil }
        (server, since, until) = (parts[0], parts[1], parts[2])
        if parts.count == 5, let id = UUID(uuidString: parts[4]) { last = (parts[3], id) }
    }

    var cursor: Cursor {
        Cursor(parts: [server, since, until] + (last.map { [$0.transaction, $0.id.uuidString] } ?? []))
    }
}
