import Foundation
import Kernel
import Web

/// The calls of `GET /v1/policy` of a day, by which changes are tried before they are published.
///
/// The counts do not say who called: conditions on build, system, language, country and time are taken as
/// if they held, and rollouts as if they were independent of each other.
struct CountedDay: Sendable {
    let day: String
    /// The most frequent releases, the most frequent first, and how many calls came of each. Their actions do
    /// not matter.
    let releases: [(release: VersionCount.Release, calls: Int)]

    /// The most releases, which bounds the work.
    private static let most = 100

    init(day: String, counts: [VersionCount.Release: Int]) {
        self.day = day
        let all = counts.sorted { ($1.value, $0.key.version) < ($0.value, $1.key.version) }
        releases = all.prefix(Self.most).map { ($0.key, $0.value) }
    }

    var calls: Int { releases.reduce(0) { $0 + $1.calls } }

    var isEmpty: Bool { releases.isEmpty }

    /// What stands in place of shares if nobody called.
    var nobody: String { "Nobody asked for a policy on \(day), so nobody knows how many this is for." }

    /// What is said if conditions are taken as if they held.
    static let uncounted =
        "Builds, systems, languages, countries and times are not counted: the shares are as if these conditions held for everybody."

    /// A rule as it is tried: for a share of those for whom it holds.
    struct Rule<Answer: Hashable> {
        let answer: (AskingApp) -> Answer
        private let share: Double
        private let holds: (AskingApp) -> Bool

        /// - Parameters:
        ///   - when: the conditions, with the rollout.
        ///   - part: how many take part of those for whom these hold.
        ///   - holds: what else must hold.
        init(
            _ when: Targeting, part: Double = 1, answer: @escaping (AskingApp) -> Answer,
            holds: @escaping (AskingApp) -> Bool = { _ in true }
        ) {
            var counted = when
            (counted.build, counted.system) = (VersionCondition(), VersionCondition())
            (counted.languages, counted.countries) = ([], [])
            (counted.from, counted.until) = (nil, nil)
            counted.rollout = Bucket.count
            share = part * Double(when.rollout) / Double(Bucket.count)
            self.answer = answer
            self.holds = { [counted] in counted.miss($0, key: "") == nil && holds($0) }
        }

        fileprivate func share(of asking: AskingApp) -> Double { holds(asking) ? share : 0 }
    }

    /// Returns which shares of a release's calls get which answer, by the first rule that holds.
    func shares<Answer: Hashable>(
        of release: VersionCount.Release, _ rules: [Rule<Answer>], otherwise: Answer
    ) -> [Answer: Double] {
        var asking = AskingApp(platform: release.platform, at: Date())
        asking.app = release.app.isEmpty ? nil : release.app
        asking.version = VersionNumber(release.version)
        var (shares, left) = ([Answer: Double](), 1.0)
        for rule in rules where left > 0 {
            let part = left * rule.share(of: asking)
            if part > 0 { shares[rule.answer(asking), default: 0] += part }
            left -= part
        }
        if left > 0 { shares[otherwise, default: 0] += left }
        return shares
    }

    /// Returns which shares of all calls get which answer.
    func shares<Answer: Hashable>(_ rules: [Rule<Answer>], otherwise: Answer) -> [Answer: Double] {
        var sums: [Answer: Double] = [:]
        for (release, calls) in releases {
            for (answer, share) in shares(of: release, rules, otherwise: otherwise) {
                sums[answer, default: 0] += share * Double(calls) / Double(self.calls)
            }
        }
        return sums
    }

    static func perCent(_ share: Double) -> String { "\((share * 1000).rounded() / 10) %" }
}
