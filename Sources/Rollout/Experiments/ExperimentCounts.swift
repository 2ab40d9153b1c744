/// How many units of a phase there are, and what they did of which goal, by the day of their exposure.
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
        /// What those did that reached a goal, by its name.
        var goals: [String: Reached] = [:]

        static func += (sum: inout Self, other: Self) {
            sum.units += other.units
            sum.crossed += other.crossed
            sum.goals.merge(other.goals, uniquingKeysWith: +)
        }
    }

    /// The units that reached a goal.
    struct Reached: Hashable, Sendable {
        var units = 0
        /// The sums of their values, and of the squares of these.
        var sum = 0.0
        var sumOfSquares = 0.0

        static func + (one: Self, other: Self) -> Self {
            Self(
                units: one.units + other.units, sum: one.sum + other.sum,
                sumOfSquares: one.sumOfSquares + other.sumOfSquares)
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
                counts.goals = counts.goals.mapValues { reached in
                    var reached = reached
                    reached.units = min(reached.units, counts.units)
                    return reached
                }
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

extension ExperimentCounts.Day {
    /// Returns what the units did of a goal, as one number.
    func estimate(of goal: String, by measure: GoalMeasure) -> Estimate {
        let reached = goals[goal] ?? .init()
        return switch measure {
        case .rate: .rate(Proportion(units: units, successes: reached.units))
        case .mean:
            .mean(
                SampleMean(
                    units: units, reached: reached.units, sum: reached.sum, sumOfSquares: reached.sumOfSquares
                ))
        }
    }
}
