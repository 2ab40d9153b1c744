import Kernel

/// Why the batch of an invite ended, other than limits and an inactive account.
package enum InviteOutcome: String, GuardOutcome {
    /// The inviter is inactive, switched their invites off, or is frozen; or name and uid do not belong
    /// together.
    case unproven = "invite_unproven"
    /// The inviter wants to be asked, or blocks, declined or parted from the other user: the invite can only
    /// leave a request.
    case unwelcome = "invite_unwelcome"
    /// The user has already used the link, or is a friend of its owner, so there is nothing to do.
    case standing = "invite_standing"
    case linkUnusable = "link_unusable"
}

/// The relationship that an invite created between the user who accepted it and the inviter.
package enum InviteResult: String, Codable, Sendable {
    /// Both want to be friends, the user asks, the inviter asks, or neither does.
    case friends, requested, incoming, none

    init(_ relationship: Relationship) {
        self =
            switch relationship {
            case .friends: .friends
            case .outgoing: .requested
            case .incoming: .incoming
            case .none, .blocked: .none
            }
    }
}
