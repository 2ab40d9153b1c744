/// What a user does about another: a column of the table "Friends" in ARCHITECTURE.md is where they stood.
enum FriendAction: String, Sendable, CaseIterable {
    /// `PUT /v1/friends/{uid}`: asks, or accepts.
    case want
    /// `DELETE /v1/friends/{uid}`: cancels, declines or unfriends.
    case unwant
    case block
    case unblock

    /// What becomes of the actor's wish to be friends; nil: it stays.
    var wants: Bool? {
        switch self {
        case .want: true
        case .unwant, .block: false
        case .unblock: nil
        }
    }

    /// What becomes of the actor's block; nil: it stays.
    var blocks: Bool? {
        switch self {
        case .want, .unwant: nil
        case .block: true
        case .unblock: false
        }
    }
}

/// Why an act is not done; then nothing was written.
enum FriendRefusal: String, Error, Sendable {
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
