/// What people and tools may do who run the service. `Kith/Routes.swift` says of each route which roles may
/// call it.
package enum Role: String, CaseIterable, Sendable {
    /// Sees numbers and what is set up: adoption of versions, experiments and their results, policies,
    /// offers, reports on rewards, short links. It sees no user but whom a short link names.
    case viewer
    /// Makes, changes and deletes short links, and sees their numbers.
    case links
    /// Sees what a viewer sees but for short links, and publishes changes of policies, values, experiments,
    /// offers and programs of rewards.
    case growth
    /// Sees users and what they did and bought, and acts on them with reasons. It does not see the audit,
    /// which tells what colleagues did; what they did to a user is in the user's timeline. It has no feed of
    /// all events, which is for backends, and simulates no purchases, which needs no reason.
    case support
    /// Calls everything that is for operators, backends or apps, and acts for users.
    case admin
}
