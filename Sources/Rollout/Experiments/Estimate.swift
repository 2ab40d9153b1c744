/// One number for what the units of a variation did: the rate of those that reached a goal, or the mean of
/// their values.
enum Estimate: Hashable, Sendable {
    case rate(Proportion)
    case mean(SampleMean)

    var value: Double {
        switch self {
        case .rate(let proportion): proportion.rate
        case .mean(let sample): sample.mean
        }
    }

    /// The variance of the number.
    var variance: Double {
        switch self {
        case .rate(let proportion): proportion.variance
        case .mean(let sample): sample.variance
        }
    }

    var units: Int {
        switch self {
        case .rate(let proportion): proportion.units
        case .mean(let sample): sample.units
        }
    }

    var isEnough: Bool {
        switch self {
        case .rate(let proportion): proportion.isEnough
        case .mean(let sample): sample.isEnough
        }
    }
}

/// What is likely about the true numbers. Of means it is what gbstats has without a prior
/// (https://github.com/growthbook/growthbook/tree/main/packages/stats): their difference is normal.
extension Estimate {
    /// Returns the chance that the true number is above the other's. Nil if too little is known of means.
    /// - Parameter mostTerms: as of `BetaPosterior`.
    func chanceToBeat(_ other: Estimate, mostTerms: Double = BetaPosterior.mostTerms) -> Double? {
        if let (mine, theirs) = posteriors(with: other) {
            return mine.chanceToBeat(theirs, mostTerms: mostTerms)
        }
        return deviation(from: other).map { NormalDistribution.below((value - other.value) / $0) }
    }

    /// Returns how much is expected to be lost by choosing this one if its true number is the lower one. Nil
    /// if too little is known of means.
    func expectedLoss(against other: Estimate) -> Double? {
        if let (mine, theirs) = posteriors(with: other) { return mine.expectedLoss(against: theirs) }
        return deviation(from: other).map {
            NormalDistribution.gain(mean: other.value - value, deviation: $0)
        }
    }

    /// Returns the posteriors of two rates.
    private func posteriors(with other: Estimate) -> (mine: BetaPosterior, theirs: BetaPosterior)? {
        guard case (.rate(let mine), .rate(let theirs)) = (self, other) else { return nil }
        return (BetaPosterior(mine), BetaPosterior(theirs))
    }

    /// Returns the standard deviation of the difference. Nil if it is unknown.
    private func deviation(from other: Estimate) -> Double? {
        let sum = variance + other.variance
        return sum > 0 && sum.isFinite ? sum.squareRoot() : nil
    }
}
