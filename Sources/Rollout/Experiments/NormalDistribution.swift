import Foundation

/// The standard normal distribution.
enum NormalDistribution {
    /// Returns which part of the distribution lies below `x`.
    static func below(_ x: Double) -> Double { erfc(-x / 2.squareRoot()) / 2 }

    /// Returns the number below which a part of the distribution lies: it halves an interval until no number
    /// lies between its ends.
    static func score(_ part: Double) -> Double {
        var (low, high) = (-40.0, 40.0)
        while true {
            let middle = (low + high) / 2
            guard low < middle, middle < high else { return middle }
            if below(middle) < part { low = middle } else { high = middle }
        }
    }

    static func density(_ x: Double) -> Double { exp(-x * x / 2) / (2 * Double.pi).squareRoot() }

    /// Returns the mean of max(x, 0), if x is normal.
    static func gain(mean: Double, deviation: Double) -> Double {
        let score = mean / deviation
        return max(0, mean * below(score) + deviation * density(score))
    }
}
