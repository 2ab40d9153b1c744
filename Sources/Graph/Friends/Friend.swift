import Foundation
package import Kernel

/// One friend in a list.
typealias Friend = User.Listed<Friendship>

struct Friendship: Encodable, Sendable {
    /// When they became friends.
    var since: Date
}

/// One pending request, as one of the two users sees it.
typealias FriendRequest = User.Listed<PendingRequest>

struct PendingRequest: Encodable, Sendable {
    enum Direction: String, Sendable {
        case incoming, outgoing
    }

    var requestedAt: Date
    /// How many friends the two have in common. Nil if the other user may not be seen.
    var mutualFriends: Int?
}

/// A user whom the caller blocks.
typealias BlockedUser = User.Listed<Block>

struct Block: Encodable, Sendable {
    var blockedAt: Date
}

/// A user, and their relationship to the caller.
package typealias Known = User.Listed<Standing>

/// A user's relationship to the caller, with the profile if it may be seen.
struct KnownUser: Sendable {
    var profile: User.Profile?
    var row: RelationshipRow

    var visible: Known? { profile.map { Known($0, Standing(row)) } }
}

package struct Standing: Encodable, Sendable {
    var relationship: Relationship
    /// When they became friends.
    var since: Date?

    init(_ row: RelationshipRow) {
        (relationship, since) = (row.relationship, row.visibleSince)
    }
}

/// A user whom the caller may know.
typealias Suggestion = User.Listed<Acquaintance>

struct Acquaintance: Encodable, Sendable {
    /// How many friends the two have in common.
    var mutualFriends: Int
    /// Up to three of the friends in common, the caller's newest friends first.
    var through: [User.Profile]
}

/// How far apart two users are.
package struct FriendPath: Encodable, Sendable {
    /// The distance: from 1, which means friends, to 3. Nil if no path is that short, or none may be seen.
    var degrees: Int?
    /// A shortest path, from a friend of the user to the other user.
    var path: [User.Profile]
}

/// A user whose relationship to the caller changed since the last sync.
typealias FriendChange = User.Listed<RelationshipChange>

struct RelationshipChange: Encodable, Sendable {
    /// The relationship now. `none` means that the client forgets this user.
    var relationship: Relationship
    /// When the friendship, the request or the block began.
    var since: Date?
}
