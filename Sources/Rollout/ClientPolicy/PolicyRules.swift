import Foundation
import Kernel

/// All policies, in the order in which they are tried.
package struct PolicyRules: Sendable {
    struct Named: Sendable {
        let key: String
        let policy: UpdatePolicy

        /// Whether it is for an app on a platform, too. Nil for all.
        func isFor(_ app: String?, on platform: AppPlatform?) -> Bool {
            (platform == nil || policy.when.platform == nil || policy.when.platform == platform)
                && (app == nil || policy.when.app == nil || policy.when.app == app)
        }
    }

    let ordered: [Named]

    init(_ policies: [String: UpdatePolicy] = [:]) {
        ordered = policies.map { Named(key: $0.key, policy: $0.value) }
            .sorted { ($1.policy.priority, $0.key) < ($0.policy.priority, $1.key) }
    }

    /// What an installation must do.
    struct Decision: Sendable {
        var action = UpdatePolicy.Action.none
        /// The policy that decides. Nil if none is for the installation.
        var by: Named?
        /// When time alone may change it.
        var changesAt: Date?
    }

    /// Decides by the first policy that is for the installation. An app whose version cannot be read gets no
    /// action.
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
    /// The versions that policies name, for the app of each, or for any.
    package var releases: Set<VersionCount.Release> {
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

/// Raising the version of an app, its build or both never makes the answer harsher. Only platform, app,
/// country and time are considered in deciding which policies meet, so some valid sets are refused.
extension PolicyRules {
    /// What is wrong, in the words of the file.
    var mistakes: [String] {
        var found: [String] = []
        for (place, later) in ordered.enumerated() {
            let (name, policy) = ("policies.\(later.key)", later.policy)
            guard policy.action > .none, !policy.isOfBadReleases else { continue }
            for (part, condition) in [("version", policy.when.version), ("build", policy.when.build)]
            where !condition.isDownward {
                found.append(
                    "\(name).when.\(part): would ask more of a newer app than of an older one: use only lt and lte. To name bad releases alone, use the action soft and a target above them"
                )
            }
            for earlier in ordered[..<place] where earlier.policy.allowsUpgrade(into: policy) {
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

/// Policies that come too late.
extension PolicyRules {
    /// The policies that can never decide, because an earlier one does wherever they would, in the words of
    /// the file. A `none` of a higher priority may do that, since operators pause the others in this way.
    var unreachable: [String] {
        ordered.enumerated().compactMap { place, later in
            let policy = later.policy
            let cover = ordered[..<place].first { earlier in
                let isPause = earlier.policy.action == .none && earlier.policy.priority > policy.priority
                return !isPause && earlier.covers(later)
            }
            return cover.map { earlier in
                """
                policies.\(later.key): is never reached: policies.\(earlier.key) comes first and has no narrower conditions: give \
                this one a higher priority, or remove it
                """
            }
        }
    }
}

extension PolicyRules.Named {
    /// Whether this policy is for each installation for which the other is.
    fileprivate func covers(_ other: Self) -> Bool {
        let (mine, theirs) = (policy.when, other.policy.when)
        let isSameRollout =
            (mine.salt ?? key) == (theirs.salt ?? other.key) && theirs.rollout > 0
            && theirs.rollout <= mine.rollout
        return mine.platform == theirs.platform && (mine.app == nil || mine.app == theirs.app)
            && mine.version.covers(theirs.version) && mine.build.covers(theirs.build)
            && policy.coversSystems(of: other.policy)
            && Self.covers(mine.languages, theirs.languages) { $0.isA($1) }
            && Self.covers(mine.countries, theirs.countries, ==)
            && (mine.rollout >= Bucket.count || isSameRollout)
            && (mine.from ?? .distantPast) <= (theirs.from ?? .distantPast)
            && (mine.until ?? .distantFuture) >= (theirs.until ?? .distantFuture)
    }

    /// Whether each of the others is covered by one of these, by `isOne`. An empty list means any.
    private static func covers<Value>(
        _ mine: [Value], _ theirs: [Value], _ isOne: (Value, Value) -> Bool
    ) -> Bool {
        mine.isEmpty
            || !theirs.isEmpty && theirs.allSatisfy { other in mine.contains { isOne(other, $0) } }
    }
}

extension UpdatePolicy {
    /// Whether this policy covers the other's systems, even for phones whose system is unknown, which
    /// `minimumOS` alone does not exclude.
    fileprivate func coversSystems(of other: UpdatePolicy) -> Bool {
        guard when.system.isEmpty || !other.when.system.isEmpty else { return false }
        let (mine, theirs) = (
            VersionCondition(from: minimumSystem), VersionCondition(from: other.minimumSystem)
        )
        return VersionCondition.corners(when.system, mine, other.when.system, theirs).allSatisfy { system in
            when.system.holds(for: system) && mine.holds(for: system)
                || !(other.when.system.holds(for: system) && theirs.holds(for: system))
        }
    }

    /// Whether a newer app may get the other's action, and an older one the action of this policy, which
    /// comes first and is milder.
    fileprivate func allowsUpgrade(into other: UpdatePolicy) -> Bool {
        let mildest = minimumSystem != nil && other.minimumSystem == nil ? min(action, .soft) : action
        guard mildest < other.action, mayMeet(other) else { return false }
        return when.version.allowsUpgrade(into: other.when.version) && when.build.meets(other.when.build)
            || when.build.allowsUpgrade(into: other.when.build) && when.version.meets(other.when.version)
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
