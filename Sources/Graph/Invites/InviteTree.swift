package import Foundation
import Kernel

/// A user who signed up by an invite, as the inviter sees them.
typealias Invitee = User.Listed<Arrival>

struct Arrival: Encodable, Sendable {
    /// When they signed up.
    var at: Date
    var relationship: Relationship
}

/// The users who signed up by a user's invites, by those of these users, and so on, as an operator sees them.
package struct InviteTree: Sendable {
    /// The user at the top.
    var root: Node
    var invitedBy: String?
    /// The number of users at each depth.
    var below: [Level]
    /// Whether all users were counted. False if there are more.
    var isComplete: Bool

    struct Node: Encodable, Sendable {
        var uid: String
        /// The username. Nil if the account was deleted.
        var username: String?
        var status: String
        var frozen: Freeze?
        /// When they signed up. Nil if they came without an invite.
        var at: Date?
        /// How many signed up by their invites. Nil for the user at the top.
        var invited: Int?
    }

    struct Level: Encodable, Sendable {
        var depth: Int
        var users: Int
    }

    /// A freeze of the user's invites: nobody can join or befriend by their links.
    package struct Freeze: Codable, Sendable {
        package var at: Date
        package var reason: String

        package init(at: Date, reason: String) {
            self.at = at
            self.reason = reason
        }
    }

    /// The limits of depth and users to count.
    static let maxDepth = 100
    static let maxUsers = 100_000
}
