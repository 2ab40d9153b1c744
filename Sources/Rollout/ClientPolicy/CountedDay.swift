import Foundation
import Kernel
import Web

/// The calls of `GET /v1/policy` of a day, by which changes are tried before they are published.
///
/// The counts do not say who called. A rollout is tried with a hundred made-up installations, and conditions
/// on build, system, language and country are taken as if they held.
struct CountedDay: Sendable {
    let day: String
    /// The calls by app, platform and version. Their actions do not matter.
    let counts: [VersionCount.Release: Int]

    private static let installations = (0..<100).map { "installation \($0)" }

    var calls: Int { counts.values.reduce(0, +) }

    var isEmpty: Bool { calls == 0 }

    /// What stands in place of shares if nobody called.
    var nobody: String { "Nobody asked for a policy on \(day), so nobody knows how many this is for." }

    /// Returns how often made-up installations of a release get which answer, of a hundred.
    func answers<Answer: Hashable>(
        of release: VersionCount.Release, _ answer: (AskingApp) -> Answer
    ) -> [Answer: Int] {
        var asking = AskingApp(platform: release.platform, at: Date())
        asking.app = release.app.isEmpty ? nil : release.app
        asking.version = VersionNumber(release.version)
        return Self.installations.reduce(into: [:]) { answers, id in
            asking.id = id
            answers[answer(asking), default: 0] += 1
        }
    }

    /// Returns the share of calls that get each answer, in per cent with one decimal.
    func shares<Answer: Hashable>(_ answer: (AskingApp) -> Answer) -> [Answer: Double] {
        var sums: [Answer: Int] = [:]
        for (release, number) in counts {
            for (answer, of) in answers(of: release, answer) { sums[answer, default: 0] += of * number }
        }
        return Self.perCent(sums)
    }

    /// A hundred installations tell no more than whole per cent.
    static func about(_ share: Double) -> String { "about \(Int(share.rounded())) %" }

    static func perCent<Answer: Hashable>(_ sums: [Answer: Int]) -> [Answer: Double] {
        let all = Double(max(1, sums.values.reduce(0, +)))
        return sums.mapValues { (Double($0) / all * 1000).rounded() / 10 }
    }
}

extension Targeting {
    /// The conditions that counts know.
    var counted: Targeting {
        var when = self
        (when.build, when.system) = (VersionCondition(), VersionCondition())
        (when.languages, when.countries) = ([], [])
        return when
    }
}
