import Foundation

/// How many of some units did something.
struct Proportion: Hashable, Sendable {
    var units: Int
    /// How many of them did it.
    var successes: Int

    var rate: Double { units == 0 ? 0 : Double(successes) / Double(units) }

    /// The variance of the rate.
    var variance: Double { units == 0 ? 0 : rate * (1 - rate) / Double(units) }

    /// Whether there are enough of both kinds to conclude anything: more than five, the usual rule for a
    /// normal approximation.
    var isEnough: Bool { min(successes, units - successes) > 5 }
}
