import Foundation
import Postgres

/// What changed in a user's relationships, in the order of the transactions that changed it.
///
/// A transaction that began early may commit late. So a visit begins again at the oldest that was still
/// under way at the last one: nothing is missed, and what was there already may come twice.
struct FriendChangeStore: Sendable {
    var db: Database

    /// Where a visit stands.
    struct Position: Sendable {
        /// The server, its timeline and the database: transactions are numbered anew on another.
        var server: String
        /// What changed in this transaction or a later one is wanted.
        var from: Int64
        /// Where the next visit begins: the oldest transaction under way when this one began.
        var until: Int64
        /// The last change on the page before; nil at the beginning of a visit.
        var last: (transaction: Int64, id: UUID)?
    }

    /// The position was given by another server, or by a state of this one that was since lost.
    struct Lost: Error {}

    /// Up to `limit` changes from a position on, and where to go on. Throws `Lost`.
    /// - Parameter position: nil: all there is now, without those that are nobody any more.
    func changes(of user: User.ID, from position: Position?, limit: Int) async throws -> (
        changes: [FriendChange], next: Position, hasMore: Bool
    ) {
        let now = try await clock()
        if let position, position.server != now.server || position.from > now.next { throw Lost() }
        let from = position?.from ?? 0
        let isReload = from == 0
        let last = position?.last
        let rows = try await db.slow.query(
            """
            WITH mine AS MATERIALIZED (
                SELECT other_id, other_uid, i_block, they_block, they_away, since, asked_at, heard_at, blocked_at,
                       changed_in AS at
                FROM relationships
                WHERE user_id = \(user) AND changed_in >= \(text(from))::text::xid8
                  AND (changed_in, other_id) > (\(text(last?.transaction ?? 0))::text::xid8, \(last?.id ?? .zero))
                  AND changed_in > '0'
                  AND (\(!isReload) OR i_block OR asked_at IS NOT NULL
                       OR ((since IS NOT NULL OR heard_at IS NOT NULL) AND NOT they_away))
                ORDER BY changed_in, other_id LIMIT \(limit + 1)),
            known AS MATERIALIZED (
                SELECT other_id, other_uid, i_block, they_block, they_away, since, asked_at, heard_at, blocked_at
                FROM relationships
                WHERE user_id = \(user) AND \(!isReload) AND NOT they_block AND NOT they_away
                  AND (since IS NOT NULL OR asked_at IS NOT NULL OR heard_at IS NOT NULL)),
            theirs AS MATERIALIZED (
                SELECT known.*, u.changed_in AS at FROM known JOIN users u ON u.id = known.other_id
                WHERE u.status = 'active' AND u.changed_in >= \(text(from))::text::xid8
                  AND (u.changed_in, u.id) > (\(text(last?.transaction ?? 0))::text::xid8, \(last?.id ?? .zero))
                ORDER BY u.changed_in, u.id LIMIT \(limit + 1)),
            page AS MATERIALIZED (
                SELECT DISTINCT * FROM (SELECT * FROM mine UNION ALL SELECT * FROM theirs) both_of
                ORDER BY at, other_id LIMIT \(limit + 1)),
            seen AS MATERIALIZED (
                SELECT u.id, u.username, u.display_name FROM page JOIN users u ON u.id = page.other_id
                WHERE u.status = 'active' AND NOT page.they_block)
            SELECT page.at::text, page.other_id, page.other_uid, page.i_block, page.they_block, page.they_away,
                   page.since, page.asked_at, page.heard_at, page.blocked_at, seen.username, seen.display_name
            FROM page LEFT JOIN seen ON seen.id = page.other_id
            ORDER BY page.at, page.other_id
            """, Change.init(row:))
        let next =
            rows.count > limit
            ? Position(
                server: now.server, from: from,
                until: position?.last == nil ? now.oldest : position?.until ?? 0,
                last: (rows[limit - 1].transaction, rows[limit - 1].id))
            : Position(
                server: now.server, from: position?.last == nil ? now.oldest : position?.until ?? 0, until: 0)
        return (rows.prefix(limit).map(\.change), next, rows.count > limit)
    }

    private func text(_ transaction: Int64) -> String { String(transaction) }

    private struct Clock {
        var server: String
        /// The oldest transaction that is under way, and the first that is yet to begin.
        var oldest: Int64
        var next: Int64
    }

    /// Read before the changes, so that what is under way now is looked at again.
    private func clock() async throws -> Clock {
        let clock = try await db.slow.first(
            """
            SELECT concat_ws('.', to_hex(c.system_identifier), to_hex(d.oid::bigint),
                             left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)),
                   pg_snapshot_xmin(pg_current_snapshot())::text, pg_snapshot_xmax(pg_current_snapshot())::text
            FROM pg_control_system() c, pg_database d WHERE d.datname = current_database()
            """
        ) { row in
            try Clock(
                server: row.next(), oldest: Int64(row.next(as: String.self)) ?? 0,
                next: Int64(row.next(as: String.self)) ?? 0)
        }
        guard let clock else { throw Lost() }
        return clock
    }

    private struct Change {
        var transaction: Int64
        var id: UUID
        var change: FriendChange

        init(row: inout Row) throws {
            transaction = try Int64(row.next(as: String.self)) ?? 0
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

/// As a cursor: `server|from|until` and, within a visit, `|transaction|id`.
extension FriendChangeStore.Position {
    init?(_ cursor: Cursor?) {
        guard let parts = cursor?.parts, parts.count >= 3, let from = Int64(parts[1]),
            let until = Int64(parts[2])
        else { return nil }
        (server, self.from, self.until) = (parts[0], from, until)
        if parts.count == 5, let transaction = Int64(parts[3]), let id = UUID(uuidString: parts[4]) {
            last = (transaction, id)
        }
    }

    var cursor: Cursor {
        Cursor(
            parts: [server, String(from), String(until)]
                + (last.map { [String($0.transaction), $0.id.uuidString] } ?? []))
    }
}
