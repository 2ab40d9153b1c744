import Graph
import Growth
package import Kernel
import Links
import Operations
import Rollout
import Webhooks

extension App {
    /// Every feature. A deletion removes what they keep of a user in this order, an export shows it in this order: answers of sign-ups,
    /// links and lists of links are locked in the order of docs/rules.md.
    static let features: [Feature] = [
        .kernel, .graphChecks, .usernames, .signup, .invites, .friends, .policies, .experiments, .offers,
        .purchases,
        .rewards, .landing, .deepLinks, .clicks, .installs, .events, .webhooks,
    ]

    static let userData = features.flatMap(\.userData)

    /// The sections of the file of `kith apply`.
    package static let sections = features.flatMap(\.sections)

    /// What `kith verify` checks.
    package static let sweeps = features.flatMap(\.sweeps)
}
