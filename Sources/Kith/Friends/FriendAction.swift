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
