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
        let (former, future) = shares
        let versions = day.releases.lazy.compactMap { release, calls -> String? in
            let old = day.shares(of: release, before, otherwise: .none)
            let new = day.shares(of: release, after, otherwise: .none)
            let app = release.app.isEmpty ? "" : " \(release.app)"
            return old == new
                ? nil
                : "\(release.platform.rawValue)\(app) \(release.version), \(calls.grouped) calls: \(Self.text(new)) (before: \(Self.text(old)))."
        }
        let policies = (self.before.ordered + self.after.ordered).map(\.policy)
        let isCounted = policies.allSatisfy { $0.when.isCounted && $0.minimumSystem == nil }
        return [
            "Of \(day.calls.grouped) calls on \(day.day) these would get: \(Self.text(future)) (before: \(Self.text(former)))."
        ] + versions.prefix(Self.mostVersions) + (isCounted ? [] : [CountedDay.uncounted])
    }

    private var shares: (before: [UpdatePolicy.Action: Double], after: [UpdatePolicy.Action: Double]) {
        (day.shares(before.counted, otherwise: .none), day.shares(after.counted, otherwise: .none))
    }

    /// Nil if nobody called.
    var answers: AnsweredCalls? {
        guard !day.isEmpty else { return nil }
        func named(_ shares: [UpdatePolicy.Action: Double]) -> [String: Double] {
            Dictionary(uniqueKeysWithValues: shares.map { ($0.key.rawValue, $0.value) })
        }
        return AnsweredCalls(
            day: day.day, calls: day.calls, before: named(shares.before), after: named(shares.after))
    }

    private static func text(_ shares: [UpdatePolicy.Action: Double]) -> String {
        shares.sorted { $0.key < $1.key }.map { "\($0.key.rawValue) \(CountedDay.perCent($0.value))" }
            .joined(separator: ", ")
    }
}

extension AppliedPolicies: ForecastSection {
    func forecast(over former: Self, for day: CountedDay) -> [String] {
        PolicyForecast(day: day, before: former.read().rules, after: read().rules).sentences
    }

    func answers(over former: Self, for day: CountedDay) -> AnsweredCalls? {
        PolicyForecast(day: day, before: former.read().rules, after: read().rules).answers
    }
}

extension PolicyRules {
    /// These policies without the conditions that no count knows. An app whose version cannot be read gets no
    /// action.
    fileprivate var counted: [CountedDay.Rule<UpdatePolicy.Action>] {
        ordered.map { named in
            var policy = named.policy
            policy.minimumSystem = nil
            return CountedDay.Rule(
                policy.when, answer: { [policy] in policy.action(for: $0) }, holds: { $0.version != nil })
        }
    }
}
