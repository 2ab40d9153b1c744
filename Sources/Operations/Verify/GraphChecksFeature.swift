package import Kernel

extension Feature {
    /// The checks of names, friendships and invites, each of which compares tables of several rooms.
    package static let graphChecks = Feature(
        checks: [
            .users, .periods, .usernames, .namesakes, .relationships, .dismissals, .invites, .invitesByOwner,
            .inviteUses, .acceptances, .signups,
        ])
}
