import Foundation

/// The standard normal distribution.
enum NormalDistribution {
    /// Returns which part of the distribution lies below `x`.
    static func below(_ x: Double) -> Double { erfc(-x / 2.squareRoot()) / 2 }

    static func density(_ x: Double) -> Double { exp(-x * x / 2) / (2 * Double.pi).squareRoot() }

    /// Returns the mean of max(x, 0), if x is normal.
    static func gain(mean: Double, deviation: Double) -> Double {
        let score = mean / deviation
        return max(0, mean * below(score) + deviation * density(score))
    }
}
