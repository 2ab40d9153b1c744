/// How one user stands to another, as the first one sees it.
enum Relationship: String, Codable, Sendable {
    case none, outgoing, incoming, friends, blocked
}

/// A user's own row of a pair.
struct RelationshipRow: Equatable, Sendable {
    var iWant = false
    var theyWant = false
    var iBlock = false
    var theyBlock = false
    var areFriends = false

    /// A block by the other side shows as if nobody had answered.
    var relationship: Relationship {
        if iBlock { return .blocked }
        if areFriends { return .friends }
        if iWant { return .outgoing }
        return theyWant && !theyBlock ? .incoming : .none
    }
}

/// Settings of the friend graph.
struct FriendLimits: Sendable {
    /// `KITH_MAX_FRIENDS`; 1,000.
    var friends = 1000
}

/// One line of a list of friends.
struct Friend: Codable, Sendable {
    var uid: String
    var username: String
    var displayName: String?
    var since: String
}
