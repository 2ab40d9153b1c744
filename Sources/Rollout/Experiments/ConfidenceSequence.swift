import Foundation

/// An interval for the difference of two rates that is valid at all looks together, so that looking daily
/// does not make errors more frequent. It is an asymptotic confidence sequence, as GrowthBook has it
/// (https://docs.growthbook.io/statistics/sequential).
struct ConfidenceSequence: Hashable, Sendable {
    /// The second rate minus the first.
    let difference: Double
    let lower: Double
    let upper: Double
    /// The p-value for no difference, valid at every look.
    let p: Double

    /// The number of units for which the interval is narrowest.
    private static let tuning = 5000.0

    /// - Parameter alpha: how often it may be wrong at any look. Nil if a rate has no variance yet.
    init?(_ first: Proportion, _ second: Proportion, alpha: Double = 0.05) {
        let error = (first.variance + second.variance).squareRoot()
        guard error > 0 else { return nil }
        difference = second.rate - first.rate
        let count = Double(first.units + second.units)
        let rho2 = (-2 * log(alpha) + log(-2 * log(alpha) + 1)) / Self.tuning
        let scale = count * rho2 + 1
        let half =
            error * count.squareRoot()
            * (2 * scale / (count * count * rho2) * log(scale.squareRoot() / alpha)).squareRoot()
        // A difference of rates has no values outside of this range.
        (lower, upper) = (max(-1, difference - half), min(1, difference + half))
        let score = difference / error
        p = min(1, exp(log(scale) / 2 - rho2 * score * score * count / (2 * scale)))
    }
}
