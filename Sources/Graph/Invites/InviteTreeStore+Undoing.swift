import Foundation
package import Kernel
import Postgres

/// Friendships between invitees and their inviters.
package extension InviteTreeStore {
    /// A friendship that began with an invite.
    struct Bond: Sendable {
        package var inviter: User.UID
        package var invitee: User.UID
    }

    /// Returns how many users are below a user, how many of these and the user a freeze would reach, and how
    /// many are friends of their inviters. Nil if the user never existed.
    func bonds(below user: User.ID) async throws -> (users: Int, unfrozen: Int, friendships: Int)? {
        guard try await exists(user) else { return nil }
        var count = (users: 0, unfrozen: 0, friendships: 0)
        try await walkDown(from: user) { part, below in
            count.users += below.count
            count.unfrozen +=
                try await db.bulk.first(
                    """
                    SELECT count(*) FROM users
                    WHERE id = ANY(\(part)) AND frozen_at IS NULL AND status <> 'deleted'
                    """
                ) { try $0.next() } ?? 0
            count.friendships +=
                try await db.bulk.first(
                    """
                    SELECT count(*) FROM acceptances a
                    JOIN relationships r ON r.user_id = a.invitee_id AND r.other_id = a.inviter_id
                    WHERE a.inviter_id = ANY(\(part)) AND r.since IS NOT NULL
                    """
                ) { try $0.next() } ?? 0
            return true
        }
        return count
    }

    /// Returns some of these friendships, beginning at the top of the tree.
    func bonds(below user: User.ID, atMost limit: Int) async throws -> [Bond] {
        var bonds: [Bond] = []
        try await walkDown(from: user) { part, _ in
            let pairs = try await db.bulk.query(
                """
                SELECT a.inviter_id, a.invitee_id FROM acceptances a
                JOIN relationships r ON r.user_id = a.invitee_id AND r.other_id = a.inviter_id
                WHERE a.inviter_id = ANY(\(part)) AND r.since IS NOT NULL
                ORDER BY a.invitee_id LIMIT \(limit - bonds.count)
                """
            ) { try (inviter: User.ID($0.next()), invitee: User.ID($0.next())) }
            let uids = try await UserStore(db: db).uids(
                of: Set(pairs.flatMap { [$0.inviter, $0.invitee] }))
            bonds += pairs.compactMap { pair in
                guard let inviter = uids[pair.inviter], let invitee = uids[pair.invitee] else { return nil }
                return Bond(inviter: inviter, invitee: invitee)
            }
            return bonds.count < limit
        }
        return bonds
    }

    /// Visits a branch from the top, each user once, in parts, together with the users whom a part invited,
    /// until `visit` says no.
    private func walkDown(
        from root: User.ID, _ visit: (_ part: [UUID], _ below: [UUID]) async throws -> Bool
    ) async throws {
        var (level, seen) = ([root.uuid], Set([root.uuid]))
        while !level.isEmpty {
            var below: [UUID] = []
            for part in level.parts(of: branch) {
                let children = try await children(of: part).filter { seen.insert($0).inserted }
                guard try await visit(part, children) else { return }
                below += children
            }
            level = below
        }
    }
}
