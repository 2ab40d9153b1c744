package import Graph
import Kernel

/// Undoes what a user's invites brought: freezes the branch, and ends the friendship of each invitee with
/// their inviter.
package struct InviteUndoing: Sendable {
    package var trees: InviteTreeStore
    package var friends: FriendStore
    package var limits: FriendLimits

    /// How many friendships one call ends, so that it answers in time.
    var most = 500

    package init(trees: InviteTreeStore, friends: FriendStore, limits: FriendLimits, most: Int = 500) {
        self.trees = trees
        self.friends = friends
        self.limits = limits
        self.most = most
    }

    struct Count: Sendable {
        /// How many users are below.
        var users = 0
        /// How many users this call froze.
        var frozen = 0
        /// How many friendships this call ended.
        var ended = 0
        /// How many users of the branch, with its top, are not frozen yet.
        var unfrozen = 0
        /// How many friendships are left.
        var friendships = 0
    }

    /// Returns what an undoing would do. Nil if the user never existed.
    func count(_ user: User.ID) async throws -> Count? {
        guard let found = try await trees.bonds(below: user) else { return nil }
        return Count(users: found.users, unfrozen: found.unfrozen, friendships: found.friendships)
    }

    /// Undoes a part. The branch is frozen first, so that nobody joins while it is undone. A further call
    /// goes on where this one ended, or where it broke off. The audit stores the numbers from the beginning.
    func undo(_ user: User.ID, _ act: OperatorAct, reason: OperatorReason) async throws -> Count? {
        guard let before = try await count(user) else { return nil }
        var act = act
        act.details = [
            "users": "\(before.users)", "unfrozen": "\(before.unfrozen)",
            "friendships": "\(before.friendships)",
        ]
        guard let frozen = try await trees.freeze(user, reason: reason, noting: act) else { return nil }
        var ended = 0
        for bond in try await trees.bonds(below: user, atMost: most)
        where try await friends.part(bond.inviter, from: bond.invitee, limits) {
            ended += 1
        }
        guard var count = try await count(user) else { return nil }
        (count.frozen, count.ended) = (frozen, ended)
        return count
    }
}
