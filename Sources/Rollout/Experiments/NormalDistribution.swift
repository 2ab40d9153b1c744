import Foundation

/// The standard normal distribution.
enum NormalDistribution {
    /// Returns which part of the distribution lies below `x`.
    static func below(_ x: Double) -> Double { erfc(-x / 2.squareRoot()) / 2 }

    static func density(_ x: Double) -> Double { exp(-x * x / 2) / (2 * Double.pi).squareRoot() }
}
