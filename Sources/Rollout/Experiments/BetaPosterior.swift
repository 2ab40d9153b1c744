import Foundation

/// What a proportion says about the true rate, without prior knowledge: Beta(successes + 1, failures + 1).
struct BetaPosterior: Hashable, Sendable {
    var alpha: Double
    var beta: Double

    init(_ alpha: Double, _ beta: Double) { (self.alpha, self.beta) = (alpha, beta) }

    init(_ proportion: Proportion) {
        self.init(
            Double(proportion.successes + 1), Double(proportion.units - proportion.successes + 1))
    }

    var mean: Double { alpha / (alpha + beta) }

    private var variance: Double {
        let sum = alpha + beta
        return alpha * beta / (sum * sum * (sum + 1))
    }

    /// The most terms of the sum. Beyond that, a normal distribution gives the same result.
    static let mostTerms = 10_000.0

    /// Returns the chance that this rate is above the other's, in closed form
    /// (https://www.evanmiller.org/bayesian-ab-testing.html). Each part of the sum follows from the one
    /// before, so only the first needs logarithms.
    /// - Parameter mostTerms: beyond these, it is that of a normal distribution.
    func chanceToBeat(_ other: BetaPosterior, mostTerms: Double = Self.mostTerms) -> Double {
        guard alpha <= mostTerms else {
            return NormalDistribution.below(
                (mean - other.mean) / (variance + other.variance).squareRoot())
        }
        let betas = beta + other.beta
        // The parts in units of e to this power, since the first may be too small for a Double.
        var unit =
            lgamma(betas) + lgamma(other.alpha + other.beta) - lgamma(other.alpha + betas)
            - lgamma(other.beta)
        var (part, sum, i) = (1.0, 0.0, 0.0)
        while i < alpha {
            sum += part
            part *= (other.alpha + i) / (other.alpha + betas + i) * ((beta + i) / (i + 1))
            i += 1
            if part > 1e200 {
                (part, sum, unit) = (part / 1e200, sum / 1e200, unit + log(1e200))
            }
        }
        return min(1, exp(log(sum) + unit))
    }

    /// Returns how much is expected to be lost by choosing this rate if it is the lower one: the mean of
    /// max(other − this, 0).
    func expectedLoss(against other: BetaPosterior) -> Double {
        guard max(alpha, other.alpha) <= Self.mostTerms else {
            return NormalDistribution.gain(
                mean: other.mean - mean, deviation: (variance + other.variance).squareRoot())
        }
        let (more, less) = (BetaPosterior(other.alpha + 1, other.beta), BetaPosterior(alpha + 1, beta))
        let loss =
            other.mean * more.chanceToBeat(self) - mean * (1 - less.chanceToBeat(other))
        return max(0, loss)
    }
}
