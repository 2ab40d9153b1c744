/// How many units an experiment needs to see a change of a rate that is as large as somebody says.
///
/// It is the usual number for two proportions, two-sided, without a correction for continuity, as
/// `power.prop.test` of R has it: with the pooled variance if nothing changed, and that of each proportion if
/// something did (Fleiss, Levin and Paik, Statistical Methods for Rates and Proportions, 3rd edition, chapter
/// 4); for unequal shares as Fleiss, Tytun and Ury have it (Biometrics 36, 1980). Several variations share
/// the error, as they do in the results.
struct ExperimentSize: Equatable, Sendable {
    /// How many units each variation needs, the control first.
    let units: [Int]

    /// How often a change may be seen that is none, and how often one that is there is to be seen.
    static let (error, power) = (0.05, 0.8)

    /// - Parameters:
    ///   - rate: how many reach the goal now, a part of 1.
    ///   - other: how many reach it with the smallest change that matters.
    ///   - shares: of the variations, the control first, with any sum.
    init(from rate: Double, to other: Double, shares: [Double]) {
        let sum = shares.reduce(0, +)
        let control = shares.first ?? sum
        let alpha = Self.error / Double(max(1, shares.count - 1))
        let all = shares.dropFirst().map { share in
            Self.units(from: rate, to: other, ratio: share / control, alpha) / control * sum
        }
        let most = all.max() ?? 0
        units = shares.map { Int((most * $0 / sum).rounded(.up)) }
    }

    /// Returns how many units the control needs beside one variation.
    /// - Parameter ratio: how many times as many units the variation has.
    private static func units(from rate: Double, to other: Double, ratio: Double, _ alpha: Double)
        -> Double
    {
        let pooled = (rate + ratio * other) / (1 + ratio)
        let unchanged = (1 + 1 / ratio) * pooled * (1 - pooled)
        let changed = rate * (1 - rate) + other * (1 - other) / ratio
        let scores =
            NormalDistribution.score(1 - alpha / 2) * unchanged.squareRoot()
            + NormalDistribution.score(power) * changed.squareRoot()
        return scores * scores / ((other - rate) * (other - rate))
    }
}
