import Foundation

/// An interval for the difference of two rates or means that is valid at all looks together, so that looking
/// daily does not make errors more frequent. It is an asymptotic confidence sequence (Waudby-Smith et al.,
/// https://arxiv.org/abs/2103.06476), as GrowthBook has it (https://docs.growthbook.io/statistics/sequential).
struct ConfidenceSequence: Hashable, Sendable {
    /// The second number minus the first.
    let difference: Double
    private(set) var lower: Double
    private(set) var upper: Double
    /// The p-value for no difference, valid at every look.
    let p: Double

    /// The number of units for which the interval is narrowest.
    private static let tuning = 5000.0

    /// - Parameter alpha: how often it may be wrong at any look. Nil without a variance.
    init?(_ first: Estimate, _ second: Estimate, alpha: Double = 0.05) {
        self.init(
            difference: second.value - first.value, variance: first.variance + second.variance,
            units: first.units + second.units, alpha: alpha)
        // A difference of rates has no values outside of this range.
        if case .rate = first { (lower, upper) = (max(-1, lower), min(1, upper)) }
    }

    /// - Parameter units: how many of both.
    init?(difference: Double, variance: Double, units: Int, alpha: Double) {
        let (error, count) = (variance.squareRoot(), Double(units))
        guard error > 0, error.isFinite else { return nil }
        self.difference = difference
        let rho2 = (-2 * log(alpha) + log(-2 * log(alpha) + 1)) / Self.tuning
        let scale = count * rho2 + 1
        let half =
            error * count.squareRoot()
            * (2 * scale / (count * count * rho2) * log(scale.squareRoot() / alpha)).squareRoot()
        (lower, upper) = (difference - half, difference + half)
        let score = difference / error
        p = min(1, exp(log(scale) / 2 - rho2 * score * score * count / (2 * scale)))
    }
}
