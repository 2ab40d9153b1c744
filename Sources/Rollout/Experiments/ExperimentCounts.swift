/// How many units of a phase there are, and how many of them reached which goal, by the day of their
/// exposure.
struct ExperimentCounts: Sendable {
    /// The days with exposures, as `2026-11-29`, UTC, and what is counted of them by variation.
    private(set) var days: [String: [String: Day]] = [:]
    /// How many visits came from unknown visitors.
    var leftOut = 0

    /// What is counted of a variation on a day.
    struct Day: Hashable, Sendable {
        var units = 0
        /// How many units saw two variations, and count for neither.
        var crossed = 0
        var reached: [String: Int] = [:]

        static func += (sum: inout Self, other: Self) {
            sum.units += other.units
            sum.crossed += other.crossed
            sum.reached.merge(other.reached, uniquingKeysWith: +)
        }
    }

    mutating func add(_ day: String, _ variation: String, _ counts: Day) {
        days[day, default: [:]][variation, default: Day()] += counts
    }

    /// Lets no goal have more units than there are.
    mutating func bound() {
        days = days.mapValues { day in
            day.mapValues { counts in
                var counts = counts
                counts.reached = counts.reached.mapValues { min($0, counts.units) }
                return counts
            }
        }
    }

    /// What is counted of each variation of all days.
    var total: [String: Day] {
        days.values.reduce(into: [:]) { total, day in
            for (variation, counts) in day { total[variation, default: Day()] += counts }
        }
    }
}
