/// What a user lets their invites do: `users.invites`.
package enum Inviting: String, Codable, CaseIterable, Sendable {
    /// They make friends, if the link does.
    case auto
    /// They leave requests.
    case ask
    /// Nothing, as if there were none.
    case off

    package init(stored text: String) {
        // A later version may know more; what this one does not know makes no friends.
        self = Self(rawValue: text) ?? .off
    }
}
