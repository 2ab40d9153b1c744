import Foundation

/// All policies, in the order in which they are asked.
struct PolicyRules: Sendable {
    struct Named: Sendable {
        let key: String
        let policy: UpdatePolicy
    }

    let ordered: [Named]

    init(_ policies: [String: UpdatePolicy] = [:]) {
        ordered = policies.map { Named(key: $0.key, policy: $0.value) }
            .sorted { ($1.policy.priority, $0.key) < ($0.policy.priority, $1.key) }
    }

    /// What an installation is to do.
    struct Decision: Sendable {
        var action = UpdatePolicy.Action.none
        /// The policy that decides; nil if none is for the installation.
        var by: Named?
        /// When time alone may change it.
        var changesAt: Date?
    }

    /// The first policy that is for the installation decides. An app whose version nobody can read is left alone.
    func decide(for installation: AskingApp) -> Decision {
        var decision = Decision()
        decision.changesAt = ordered.compactMap { $0.policy.when.changes(after: installation.at) }.min()
        guard installation.version != nil else { return decision }
        decision.by = ordered.first { $0.policy.miss(installation, key: $0.key) == nil }
        decision.action = decision.by?.policy.action(for: installation) ?? .none
        return decision
    }
}

extension PolicyRules {
    /// The versions that policies name, of the app of each, or of any.
    var releases: Set<VersionCount.Release> {
        Set(
            ordered.flatMap { named in
                let (when, policy) = (named.policy.when, named.policy)
                let bounds = [
                    policy.target, when.version.below, when.version.upTo, when.version.above,
                    when.version.from,
                ]
                return (bounds.compactMap(\.self) + when.version.among).compactMap { version in
                    when.platform.map { platform in
                        VersionCount.Release(
                            app: when.app ?? "", platform: platform, version: version.description)
                    }
                }
            })
    }
}

/// Raising the version of an app, its build or both never makes the answer harsher. Which policies meet is taken from no other
/// condition but platform, app, country and time, so some sets are refused that would do.
extension PolicyRules {
    /// What is wrong, in the words of the file.
    var mistakes: [String] {
        var found: [String] = []
        for (place, later) in ordered.enumerated() {
            let (name, policy) = ("policies.\(later.key)", later.policy)
            guard policy.action > .none else { continue }
            for (part, condition) in [("version", policy.when.version), ("build", policy.when.build)]
            where !condition.isDownward {
                found.append(
                    "\(name).when.\(part): would ask more of a newer app than of an older one: use only lt and lte"
                )
            }
            for earlier in ordered[..<place] where earlier.policy.isLeft(for: policy) {
                found.append(
                    """
                    \(name).when: would ask more (\(policy.action)) of a newer app than policies.\(earlier.key), which comes \
                    first, asks of an older one (\(earlier.policy.action)): give it a higher priority, or no higher versions
                    """)
            }
        }
        return found
    }
}

extension UpdatePolicy {
    /// Whether a newer app may get the other's action, and an older one this policy's, which comes first and is milder.
    fileprivate func isLeft(for other: UpdatePolicy) -> Bool {
        let mildest = minimumSystem != nil && other.minimumSystem == nil ? min(action, .soft) : action
        guard mildest < other.action, mayMeet(other) else { return false }
        return when.version.isLeft(for: other.when.version) && when.build.meets(other.when.build)
            || when.build.isLeft(for: other.when.build) && when.version.meets(other.when.version)
    }

    private func mayMeet(_ other: UpdatePolicy) -> Bool {
        func overlap(_ one: [String], _ other: [String]) -> Bool {
            one.isEmpty || other.isEmpty || !Set(one).isDisjoint(with: other)
        }
        let (mine, theirs) = (when, other.when)
        return mine.platform == theirs.platform
            && overlap([mine.app].compactMap(\.self), [theirs.app].compactMap(\.self))
            && overlap(mine.countries, theirs.countries)
            && (mine.until ?? .distantFuture) > (theirs.from ?? .distantPast)
            && (theirs.until ?? .distantFuture) > (mine.from ?? .distantPast)
    }
}
