import Foundation

/// How long something took, in steps of a fifth, so that a sum has few values of it.
package enum CountDuration {
    private static let stepsPerDoubling = 4.0
    /// The step of a year and more.
    private static let last = 99.0

    /// Returns the value of `CountDimension.seconds` for a time: the seconds with which its step begins.
    package static func value(_ seconds: Double) -> String {
        let step = (log2(max(1, seconds)) * stepsPerDoubling).rounded(.down)
        return "\(Int(exp2(min(step, last) / stepsPerDoubling)))"
    }

    /// Returns how many seconds a share of all took at most, within a fifth. Nil if there are none.
    /// - Parameter counts: how often each value was counted.
    package static func quantile(_ share: Double, of counts: [String: Int64]) -> Int? {
        let ordered = counts.compactMap { value, count in Int(value).map { ($0, count) } }
            .sorted { $0.0 < $1.0 }
        let all = ordered.reduce(0) { $0 + $1.1 }
        var below: Int64 = 0
        for (seconds, count) in ordered {
            below += count
            if Double(below) >= share * Double(all) { return seconds }
        }
        return nil
    }
}
