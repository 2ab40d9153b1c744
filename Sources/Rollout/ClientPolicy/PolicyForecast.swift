import Kernel
import Web

/// What the calls of a day would have been answered by other policies.
struct PolicyForecast {
    let day: CountedDay
    let before: PolicyRules
    let after: PolicyRules

    /// Lists at most so many versions.
    private static let mostVersions = 10

    var sentences: [String] {
        guard !day.isEmpty else { return [day.nobody] }
        let (before, after) = (self.before.counted, self.after.counted)
        var (former, future) = ([UpdatePolicy.Action: Int](), [UpdatePolicy.Action: Int]())
        var versions: [String] = []
        for (release, number) in day.counts.sorted(by: {
            ($1.value, $0.key.version) < ($0.value, $1.key.version)
        }) {
            let old = day.answers(of: release) { before.decide(for: $0).action }
            let new = day.answers(of: release) { after.decide(for: $0).action }
            former.merge(old.mapValues { $0 * number }, uniquingKeysWith: +)
            future.merge(new.mapValues { $0 * number }, uniquingKeysWith: +)
            guard old != new, versions.count < Self.mostVersions else { continue }
            let app = release.app.isEmpty ? "" : " \(release.app)"
            versions.append(
                "\(release.platform.rawValue)\(app) \(release.version), \(number.grouped) calls: \(Self.text(new)) (before: \(Self.text(old)))."
            )
        }
        return [
            "Of \(day.calls.grouped) calls on \(day.day) these would get: \(Self.text(future)) (before: \(Self.text(former)))."
        ] + versions
    }

    private static func text(_ calls: [UpdatePolicy.Action: Int]) -> String {
        CountedDay.perCent(calls).sorted { $0.key < $1.key }
            .map { "\($0.key.rawValue) \($0.value) %" }.joined(separator: ", ")
    }
}

extension PolicyRules {
    /// These policies without the conditions that no count knows.
    fileprivate var counted: PolicyRules {
        PolicyRules(
            Dictionary(
                uniqueKeysWithValues: ordered.map { named in
                    var policy = named.policy
                    policy.when = policy.when.counted
                    policy.minimumSystem = nil
                    return (named.key, policy)
                }))
    }
}
