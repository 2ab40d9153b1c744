import Foundation

/// Whether as many units came to each variation as its weight says. If not, units of a variation were lost
/// somewhere, and no result can be trusted.
struct SampleRatio: Hashable, Sendable {
    let chiSquare: Double
    /// The p-value, if units were divided by weight alone.
    let p: Double

    /// The p-value below which a verdict is blocked.
    static let threshold = 0.001

    /// - Parameter weights: the weights, with any sum.
    init(units: [Int], weights: [Int]) {
        let (all, sum) = (Double(units.reduce(0, +)), Double(weights.reduce(0, +)))
        let parts = zip(units, weights).filter { $0.1 > 0 }
        chiSquare =
            all == 0
            ? 0
            : parts.reduce(0) { chi, part in
                let expected = all * Double(part.1) / sum
                return chi + (Double(part.0) - expected) * (Double(part.0) - expected) / expected
            }
        p = Self.above(chiSquare, degrees: parts.count - 1)
    }

    var isMismatch: Bool { p < Self.threshold }

    /// Returns which part of the χ² distribution lies above `x`. It adds two degrees at a time, from one or
    /// two on.
    private static func above(_ x: Double, degrees: Int) -> Double {
        guard degrees > 0, x > 0 else { return 1 }
        let half = x / 2
        let isOdd = degrees % 2 == 1
        var sum = isOdd ? erfc(half.squareRoot()) : exp(-half)
        var order = isOdd ? 0.5 : 1.0
        while order < Double(degrees) / 2 {
            sum += exp(order * log(half) - half - lgamma(order + 1))
            order += 1
        }
        return min(1, sum)
    }
}
