import Foundation
import Postgres

/// Who came through a link.
extension InviteStore {
    /// Who came through a link of a user, newest first; not those who are suspended or deleted.
    func joined(through code: Invite.Code, of owner: User.ID, after cursor: Cursor?, limit: Int)
        async throws -> ListPage<Joined>
    {
        try await ListPage.hiding(after: cursor, limit: limit) { cursor, limit in
            try await rows(through: code, of: owner, after: cursor, limit: limit)
        }
    }

    private func rows(
        through code: Invite.Code, of owner: User.ID, after cursor: Cursor?, limit: Int
    ) async throws -> [(cursor: Cursor, item: Joined?)] {
        try await db.lists.with(key: owner).query(
            """
            WITH uses AS MATERIALIZED (
                SELECT user_id, at FROM link_uses
                WHERE code = \(code) AND at <= \(cursor?.at ?? .distantFuture)
                  AND (at < \(cursor?.at ?? .distantFuture) OR user_id > \(cursor?.id))
                ORDER BY at DESC, user_id LIMIT \(limit)),
            seen AS MATERIALIZED (
                SELECT u.id, u.uid, u.username, u.display_name FROM uses JOIN users u ON u.id = uses.user_id
                WHERE u.status = 'active')
            SELECT uses.user_id, uses.at, seen.uid, seen.username, seen.display_name
            FROM uses LEFT JOIN seen ON seen.id = uses.user_id
            ORDER BY uses.at DESC, uses.user_id
            """
        ) { row in
            let (id, at): (UUID, Date) = try (row.next(), row.next())
            let joined = try User.Profile(seen: &row).map { Joined(profile: $0, at: at) }
            return (cursor: Cursor(at: at, id: id), item: joined)
        }
    }
}
