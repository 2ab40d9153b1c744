import Foundation
import Postgres

/// Users who joined by a link.
extension InviteStore {
    /// Users who joined by a link of `owner`, newest first, without suspended and deleted ones.
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
                SELECT user_id, used_at AS at FROM link_uses
                WHERE code = \(code) AND \(Cursor.page(behind: cursor, "used_at", "user_id", limit: limit))),
            \(UserStore.seen(in: "uses", by: "user_id"))
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
