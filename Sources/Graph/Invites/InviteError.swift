import HTTPTypes
package import Web

/// Why an invite leads to nobody.
package enum InviteError: String, ProblemError {
    /// There is no such invite. The inviter may also be suspended or deleted, so that nobody can tell which.
    case notFound = "not_found"
    case expired, exhausted, revoked
    case selfInvite = "self"
    case limitReached = "limit_reached"
    case unblockFirst = "unblock_first"
}

extension InviteError {
    /// The problem for a call about this invite alone.
    package var problem: Problem {
        switch self {
        case .notFound: .notFound("invite_not_found", "This invite leads to nobody.")
        case .expired: Problem(.gone, "invite_expired", "This invite has expired.")
        case .exhausted: Problem(.gone, "invite_exhausted", "This invite was used as often as it allows.")
        case .revoked: Problem(.gone, "invite_revoked", "This invite was taken back.")
        case .selfInvite: Problem(.unprocessableContent, "self_invite", "This is your own invite.")
        case .limitReached: FriendError.friendLimitOther.problem
        case .unblockFirst: FriendError.unblockFirst.problem
        }
    }
}
