import Foundation
import Kernel
import Postgres
import Web

/// Users who joined by a link.
extension InviteStore {
    /// Returns the users who joined by a link of `owner`, newest first, without suspended and deleted ones.
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
        let lists = db.lists.with(key: owner)
        let uses = try await lists.query(
            """
            SELECT user_id, used_at FROM invite_uses
            WHERE code = \(code) AND \(Cursor.page(behind: cursor, "used_at", "user_id", limit: limit))
            """
        ) { try (id: User.ID($0.next()), at: $0.next(as: Date.self)) }
        let profiles = try await UserStore.profiles(of: Set(uses.map(\.id)), on: lists)
        return uses.map { use in
            let joined = profiles[use.id].map { Joined($0, Joining(at: use.at)) }
            return (cursor: Cursor(at: use.at, id: use.id.uuid), item: joined)
        }
    }
}
