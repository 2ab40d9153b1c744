package import Kernel

/// Where a link `/users/{username}?invitedBy={uid}` leads. `LinkDecision` says by which rule.
package enum LinkTarget: Equatable, Sendable {
    case page(User.Profile, Invitation)
    /// The link leads to the same link with the user's current name. The whole query is kept.
    case redirect(User.Profile)
    case notFound

    /// The invite on a user's page.
    package enum Invitation: Equatable, Sendable {
        /// Name and uid belong together: signing up makes friends.
        case friends
        /// Name and uid belong together, and the user or the operator wants to be asked: signing up leaves a
        /// request.
        case request
        /// There is only a name, which may have changed hands: signing up leaves a request.
        case nameOnly
        case none
    }
}
