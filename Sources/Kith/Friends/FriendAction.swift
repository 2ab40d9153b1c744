/// What a user does about another: a row of the table "Friends" in docs/rules.md. Its columns are how they stood before.
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
