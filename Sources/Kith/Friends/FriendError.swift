import HTTPTypes

/// Why an act is not done; then nothing was written.
enum FriendError: String, ProblemError, GuardOutcome {
    case unblockFirst = "unblock_first"
    /// The caller has as many friends as allowed.
    case friendLimitSelf = "friend_limit_self"
    /// The other one has.
    case friendLimitOther = "friend_limit_other"
    /// The caller has sent as many requests as may wait for an answer.
    case requestLimitSelf = "request_limit_self"
    /// The other one has received as many.
    case requestLimitOther = "request_limit_other"
    /// The caller blocks as many as allowed.
    case blockLimit = "block_limit"
}

extension FriendError {
    var problem: Problem {
        switch self {
        case .unblockFirst: Problem(.conflict, "unblock_first", "You block this user. Unblock first.")
        case .friendLimitSelf:
            Problem(.conflict, "friend_limit_self", "You have reached the limit of friends.")
        case .friendLimitOther:
            Problem(.conflict, "friend_limit_other", "The other user has reached the limit of friends.")
        case .requestLimitSelf:
            Problem(
                .conflict, "request_limit_self", "You have reached the limit of pending friend requests.")
        case .blockLimit:
            Problem(.conflict, "block_limit", "You have reached the limit of blocked users.")
        case .requestLimitOther:
            Problem(
                .conflict, "request_limit_other",
                "The other user has reached the limit of pending friend requests.")
        }
    }
}
