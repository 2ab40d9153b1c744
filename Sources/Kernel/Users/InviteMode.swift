/// What a user's invites may do: `users.invites`.
package enum InviteMode: String, Codable, CaseIterable, Sendable {
    /// Invites make friends, if the link does.
    case auto
    /// Invites leave friend requests.
    case ask
    /// Invites do nothing, as if there were none.
    case off

    package init(stored text: String) {
        // A later version may know more values. One that this version does not know makes no friends.
        self = Self(rawValue: text) ?? .off
    }
}
