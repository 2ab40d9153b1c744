/// The mean of the values of some units. Units that did not reach the goal have the value 0.
struct SampleMean: Hashable, Sendable {
    var units: Int
    /// How many of them reached the goal.
    var reached: Int
    /// The sum of the units' values.
    var sum: Double
    /// The sum of the squares of the units' values.
    var sumOfSquares: Double

    var mean: Double { units == 0 ? 0 : sum / Double(units) }

    /// The variance of the mean. Infinite if there are too few units to know it.
    var variance: Double {
        guard units > 1 else { return .infinity }
        let count = Double(units)
        return max(0, sumOfSquares - sum * sum / count) / (count - 1) / count
    }

    /// Whether enough units reached the goal to conclude anything.
    var isEnough: Bool { reached > 5 }
}
