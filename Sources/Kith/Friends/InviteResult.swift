/// Why the batch of an invite ended, beside limits and an account that is not active.
enum InviteOutcome: String, GuardOutcome {
    /// The inviter is not active or frozen, or name and uid do not belong together.
    case unproven = "invite_unproven"
    /// The inviter blocks or declined the other one: the invite can only leave a request.
    case unwelcome = "invite_unwelcome"
    /// They used the link before, or are friends: there is nothing to do.
    case standing = "invite_standing"
    case linkUnusable = "link_unusable"
}

/// What an invite brought about between the one who accepted it and the inviter.
enum InviteResult: String, Codable, Sendable {
    case friends, requested, none

    init(_ relationship: Relationship) {
        self =
            switch relationship {
            case .friends: .friends
            case .outgoing: .requested
            case .none, .incoming, .blocked: .none
            }
    }
}
