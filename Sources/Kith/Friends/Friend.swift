import Foundation

/// One friend in a list.
struct Friend: Encodable, Sendable {
    var uid: String
    var username: String
    var displayName: String?
    /// When they became friends.
    var since: Date
}

/// One pending request, as one of the two users sees it.
struct FriendRequest: Encodable, Sendable {
    enum Direction: String, Sendable {
        case incoming, outgoing
    }

    var uid: String
    /// This, the display name and the count are nil if the other user may not be seen.
    var username: String?
    var displayName: String?
    var requestedAt: Date
    /// How many friends the two have in common.
    var mutualFriends: Int?
}

/// A user whom the caller blocks.
struct BlockedUser: Encodable, Sendable {
    var uid: String
    /// This and the display name are nil if the other user may not be seen.
    var username: String?
    var displayName: String?
    var blockedAt: Date
}

/// The caller's relationship to one of the users they asked for.
struct RelationshipTo: Encodable, Sendable {
    var uid: String
    var relationship: Relationship
    /// Friends since.
    var since: Date?
}

/// A user whom the caller may know.
struct Suggestion: Encodable, Sendable {
    var uid: String
    var username: String
    var displayName: String?
    /// How many friends the two have in common.
    var mutualFriends: Int
    /// Up to three of these, the caller's newest friends first.
    var through: [User.Profile]
}

/// How far apart two users are.
struct FriendPath: Encodable, Sendable {
    /// From 1, friends, to 3. Nil if no path is that short, or none may be seen.
    var degrees: Int?
    /// A shortest path, from a friend of the user to the other user.
    var path: [User.Profile]
}

/// The change of one relationship since the last sync.
struct FriendChange: Encodable, Sendable {
    var uid: String
    /// `none`: the client forgets this user.
    var relationship: Relationship
    /// This and the display name are nil if the other user may not be seen.
    var username: String?
    var displayName: String?
    /// The time of the friendship, of the request sent or received, or of the block.
    var since: Date?
}
