import Foundation
import Postgres

/// Who came through a link.
extension InviteStore {
    /// Who came through a link of a user, newest first; not those whom he is not to see.
    func joined(through code: Invite.Code, of owner: User.ID, after cursor: Cursor?, limit: Int)
        async throws -> Page<Joined>
    {
        let rows = try await db.read.query(
            """
            WITH uses AS MATERIALIZED (
                SELECT user_id, at FROM link_uses
                WHERE code = \(code) AND at <= \(cursor?.at ?? .distantFuture)
                  AND (at < \(cursor?.at ?? .distantFuture) OR user_id > \(cursor?.id))
                ORDER BY at DESC, user_id LIMIT \(limit + 1)),
            hidden AS MATERIALIZED (
                SELECT r.other_id FROM uses
                JOIN relationships r ON r.user_id = \(owner) AND r.other_id = uses.user_id
                WHERE r.they_block),
            seen AS MATERIALIZED (
                SELECT u.id, u.uid, u.username, u.display_name FROM uses JOIN users u ON u.id = uses.user_id
                WHERE u.status = 'active' AND u.id NOT IN (SELECT other_id FROM hidden))
            SELECT uses.user_id, uses.at, seen.uid, seen.username, seen.display_name
            FROM uses LEFT JOIN seen ON seen.id = uses.user_id
            ORDER BY uses.at DESC, uses.user_id
            """
        ) { row in
            let (id, at): (UUID, Date) = try (row.next(), row.next())
            let (uid, username, displayName): (String?, String?, String?) = try (
                row.next(), row.next(), row.next()
            )
            var joined: Joined?
            if let uid, let username {
                joined = Joined(
                    profile: User.Profile(uid: uid, username: username, displayName: displayName), at: at)
            }
            return (cursor: Cursor(at: at, id: id), item: joined)
        }
        return Page(hiding: rows, limit: limit)
    }
}
