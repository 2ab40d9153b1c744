package import Kernel

/// What the database knows about a link.
package struct LinkFacts: Equatable, Sendable {
    /// The user whose uid the link carries.
    package var inviter: Inviter?
    /// Whether anybody has or had the name. It matters only with an inviter.
    var nameIsKnown = false
    /// The active user who has the name now. They matter only without an inviter.
    package var owner: User.Profile?
    /// What the invites of the owner, or the holder, may do.
    var ownerInviting = InviteMode.auto
    /// The active user for whom the name is held, if such names lead on. They matter only without an owner.
    var holder: User.Profile?

    package struct Inviter: Equatable, Sendable {
        var profile: User.Profile
        var isActive = true
        /// Whether all earlier names are known, which may be false for an imported user.
        package var historyIsComplete = true
        /// Whether the user had the name in the link and did not sever it.
        var hadName = false
        /// Whether the user had the name in the link and severed it.
        var severedName = false
        /// What the user's invites by name may do. They are off if an operator froze them.
        var inviting = InviteMode.auto
        /// How many friends the user has. Nil if they were not counted.
        var friends: Int?

        var invitation: LinkTarget.Invitation {
            switch inviting {
            case .auto: .friends
            case .ask: .request
            case .off: .none
            }
        }
    }
}
