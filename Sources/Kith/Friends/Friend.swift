import Foundation

/// One line of a list of friends.
struct Friend: Encodable, Sendable {
    var uid: String
    var username: String
    var displayName: String?
    /// When they became friends.
    var since: Date
}

/// One request that was not answered yet, as one of the two sees it.
struct FriendRequest: Encodable, Sendable {
    enum Direction: String, Sendable {
        case incoming, outgoing
    }

    var uid: String
    /// This and all that follows but the time: nil where the other one is not to be seen.
    var username: String?
    var displayName: String?
    var requestedAt: Date
    /// How many friends the two have in common.
    var mutualFriends: Int?
}

/// One whom the user blocks.
struct BlockedUser: Encodable, Sendable {
    var uid: String
    /// This and the next: nil where the other one is not to be seen.
    var username: String?
    var displayName: String?
    var blockedAt: Date
}

/// How the user stands to one of those they asked for.
struct RelationshipTo: Encodable, Sendable {
    var uid: String
    var relationship: Relationship
    /// Friends since.
    var since: Date?
}

/// Someone whom the user may know.
struct Suggestion: Encodable, Sendable {
    var uid: String
    var username: String
    var displayName: String?
    /// How many friends the two have in common.
    var mutualFriends: Int
    /// Up to three of these, those first with whom the user is friends for the shortest time.
    var through: [User.Profile]
}

/// How far two users are apart.
struct FriendPath: Encodable, Sendable {
    /// 1: friends; at most 3. Nil: no way that short, or none to be seen.
    var degrees: Int?
    /// One way among the shortest: from a friend of the user to the other one.
    var path: [User.Profile]
}

/// What became of one relationship since the last visit.
struct FriendChange: Encodable, Sendable {
    var uid: String
    /// `none`: forget this one.
    var relationship: Relationship
    /// This and the next: nil where the other one is not to be seen.
    var username: String?
    var displayName: String?
    /// Friends, asked, was asked, or blocked since.
    var since: Date?
}
