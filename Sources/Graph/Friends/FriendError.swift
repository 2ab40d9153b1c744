import HTTPTypes
import Kernel
package import Web

/// Why an act is refused. Then nothing was written.
package enum FriendError: String, ProblemError, GuardOutcome {
    case unblockFirst = "unblock_first"
    /// The caller is at the limit of friends.
    case friendLimitSelf = "friend_limit_self"
    /// The other user is at the limit of friends.
    case friendLimitOther = "friend_limit_other"
    /// The caller is at the limit of pending requests sent.
    case requestLimitSelf = "request_limit_self"
    /// The other user is at the limit of pending requests received.
    case requestLimitOther = "request_limit_other"
    /// The caller is at the limit of blocks.
    case blockLimit = "block_limit"
}

extension FriendError {
    package var problem: Problem {
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
