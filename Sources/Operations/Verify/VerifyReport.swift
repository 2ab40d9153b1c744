import Foundation
package import Kernel
import Web

/// What `kith verify` found and repaired.
package struct VerifyReport: Sendable {
    /// The numbers of checked rows, by table.
    package internal(set) var rows: [(table: String, count: Int)] = []
    /// The breaches, in the order of the checks.
    package internal(set) var breaches: [Breach] = []
    package internal(set) var seconds = 0.0
    /// Whether it was asked to repair.
    package internal(set) var isRepairing = false

    package struct Breach: Sendable {
        package let invariant: Invariant
        /// How many rows broke it.
        package internal(set) var found = 0
        /// How many of those no longer break it.
        package internal(set) var mended = 0
        /// The first few rows that are still broken. If none are, the first few repaired ones.
        package internal(set) var keys: [String] = []

        package var left: Int { found - mended }
    }

    /// The invariants that are still broken.
    package var broken: [Breach] { breaches.filter { $0.left > 0 } }

    /// One line for each broken invariant, with the next step, and a summary.
    package var lines: [String] { breaches.map { $0.line(isRepairing: isRepairing) } + [summary] }

    private var summary: String {
        let looked = rows.map { "\($0.count.grouped) \($0.table)" }.joined(separator: ", ")
        let found = breaches.reduce(0) { $0 + $1.found }
        let left = breaches.reduce(0) { $0 + $1.left }
        let outcome =
            found == 0 ? "no breaches" : left == 0 ? "all repaired" : "\(left.grouped) rows are broken"
        return "verified \(looked) in \(Self.duration(seconds)): \(outcome)"
    }

    private static func duration(_ seconds: Double) -> String {
        seconds < 10 ? "\((seconds * 10).rounded() / 10) s" : "\(Int(seconds.rounded())) s"
    }
}

extension VerifyReport.Breach {
    static let keysShown = 5

    func line(isRepairing: Bool) -> String {
        var parts = ["\(invariant.name): \(invariant.breach): \(found.grouped) rows"]
        if mended > 0 { parts.append("\(mended.grouped) repaired") }
        parts.append(keys.sorted().joined(separator: ", ") + (found > keys.count ? ", …" : ""))
        guard left > 0 else { return parts.joined(separator: "; ") }
        switch invariant.remedy {
        case .repair where !isRepairing:
            let exception = invariant.exception.map { ", unless \($0)" } ?? ""
            parts.append("`kith verify --repair` repairs it\(exception)")
        case .repair:
            parts.append("the rest could not be repaired" + (invariant.exception.map { ": \($0)" } ?? ""))
        case .person(let step): parts.append(step)
        }
        return parts.joined(separator: "; ")
    }
}

/// How far a verification has come.
package struct VerifyProgress: Sendable {
    package let table: String
    /// How many rows were checked so far, and about how many there are.
    package let rows: Int
    package let ofAbout: Int
    package let broken: Int

    package var line: String {
        let percent = min(99, ofAbout > 0 ? rows * 100 / ofAbout : 99)
        return "\(percent) %: \(rows.grouped) rows, now \(table); \(broken.grouped) broken"
    }
}
