import Counts
import Events
import Graph
import Growth
package import Kernel
import Links
import Operations
import Rollout
import Visits
import Webhooks

extension App {
    /// Every feature. A deletion and an export go through what they keep of a user in this order, so that
    /// answers of sign-ups, invites and lists of invites are locked as docs/rules.md says. `kith verify`
    /// reports in it.
    static let features: [Feature] = [
        .kernel, .graphChecks, .usernames, .signup, .invites, .friends, .policies, .offers, .purchases,
        .experiments, .rewards, .landing, .deepLinks, .clicks, .counts, .installs, .events, .webhooks,
    ]

    static let userData = features.flatMap(\.userData)

    /// The sections of the file of `kith apply`.
    package static let sections = features.flatMap(\.sections)

    /// What `kith verify` checks.
    package static let checks = features.flatMap(\.checks)
}
