import Foundation

/// One who signed up by a user's invite, as the inviter sees them.
struct Invited: Encodable, Sendable {
    var uid: String
    var username: String
    var displayName: String?
    /// When they signed up.
    var at: Date
    var relationship: Relationship
}

/// Who came by a user's invites, by theirs, and so on, as an operator sees it.
struct InviteTree: Sendable {
    /// The user on top.
    var root: Node
    var invitedBy: String?
    /// How many users came by so many invites in a row.
    var below: [Level]
    /// False: there are more, deeper down than was counted.
    var isComplete: Bool

    struct Node: Sendable {
        var uid: String
        /// Nil: the account was deleted.
        var username: String?
        var status: String
        var frozen: Freeze?
        /// When they signed up, if by an invite.
        var at: Date?
    }

    struct Level: Encodable, Sendable {
        var depth: Int
        var users: Int
    }

    /// Nobody can join or befriend by the user's links.
    struct Freeze: Encodable, Sendable {
        var at: Date
        var reason: String
    }

    /// So deep and so many users are counted.
    static let maxDepth = 100
    static let maxUsers = 100_000
}
