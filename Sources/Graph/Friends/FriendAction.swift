/// What a user does about another: a row of the table "Friends" in docs/rules.md. The table's columns are the
/// relationship before.
package enum FriendAction: String, Sendable, CaseIterable {
    /// `PUT /v1/friends/{uid}`: the user asks, or accepts.
    case want
    /// `DELETE /v1/friends/{uid}`: the user cancels, declines or unfriends.
    case unwant
    case block
    case unblock

    /// The actor's new wish to be friends. Nil if it stays as it is.
    var wants: Bool? {
        switch self {
        case .want: true
        case .unwant, .block: false
        case .unblock: nil
        }
    }

    /// The actor's new block. Nil if it stays as it is.
    var blocks: Bool? {
        switch self {
        case .want, .unwant: nil
        case .block: true
        case .unblock: false
        }
    }
}
