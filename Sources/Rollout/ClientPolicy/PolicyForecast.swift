import Foundation
import Kernel
import Web

/// What the calls of a day would have been answered by other policies.
///
/// The counts do not say who called. A rollout is tried with a hundred made-up installations, and conditions
/// on build, system, language and country are taken as if they held.
struct PolicyForecast {
    let day: String
    /// The calls by app, platform and version. Their actions do not matter.
    let counts: [VersionCount.Release: Int]
    let before: PolicyRules
    let after: PolicyRules

    /// Lists at most so many versions.
    private static let mostVersions = 10
    private static let installations = (0..<100).map { "installation \($0)" }

    var sentences: [String] {
        let releases = counts.sorted { ($1.value, $0.key.version) < ($0.value, $1.key.version) }
        let calls = counts.values.reduce(0, +)
        guard calls > 0 else {
            return ["Nobody asked for a policy on \(day), so nobody knows how many this is for."]
        }
        var (former, future) = (Shares(), Shares())
        var versions: [String] = []
        for (release, number) in releases {
            let (old, new) = (shares(of: release, before), shares(of: release, after))
            former.add(old, number)
            future.add(new, number)
            guard old != new, versions.count < Self.mostVersions else { continue }
            let app = release.app.isEmpty ? "" : " \(release.app)"
            versions.append(
                "\(release.platform.rawValue)\(app) \(release.version), \(number.grouped) calls: \(new.text) (before: \(old.text))."
            )
        }
        return [
            "Of \(calls.grouped) calls on \(day) these would get: \(future.text) (before: \(former.text))."
        ] + versions
    }

    private func shares(of release: VersionCount.Release, _ rules: PolicyRules) -> Shares {
        var asking = AskingApp(platform: release.platform, at: Date())
        asking.app = release.app.isEmpty ? nil : release.app
        asking.version = VersionNumber(release.version)
        let rules = rules.heldByAll
        var shares = Shares()
        for id in Self.installations {
            asking.id = id
            shares.calls[rules.decide(for: asking).action, default: 0] += 1
        }
        return shares
    }

    /// How many calls get which action.
    private struct Shares: Equatable {
        var calls: [UpdatePolicy.Action: Int] = [:]

        mutating func add(_ other: Shares, _ times: Int) {
            for (action, number) in other.calls { calls[action, default: 0] += number * times }
        }

        var text: String {
            let all = Double(calls.values.reduce(0, +))
            return calls.filter { $0.value > 0 }.sorted { $0.key < $1.key }.map { action, number in
                let percent = (Double(number) / all * 1000).rounded() / 10
                return "\(action.rawValue) \(percent) %"
            }.joined(separator: ", ")
        }
    }
}

extension PolicyRules {
    /// These policies without the conditions that no count knows.
    fileprivate var heldByAll: PolicyRules {
        PolicyRules(
            Dictionary(
                uniqueKeysWithValues: ordered.map { named in
                    var policy = named.policy
                    policy.when.build = VersionCondition()
                    policy.when.system = VersionCondition()
                    policy.when.languages = []
                    policy.when.countries = []
                    policy.minimumSystem = nil
                    return (named.key, policy)
                }))
    }
}
