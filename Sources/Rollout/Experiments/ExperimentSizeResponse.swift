import Hummingbird

/// How long an experiment will need.
package struct ExperimentSizeResponse: ResponseEncodable {
    let rate: Double
    let lift: Double
    /// The error that is allowed, and the power.
    let error: Double
    let power: Double
    let variations: [Variation]
    let units: Int
    /// The day whose active people are taken for the units of each day. Nil if the call says how many come.
    let day: String?
    /// How many units come a day.
    let daily: Double
    /// Nil if nobody comes.
    let days: Int?

    struct Variation: Encodable {
        let share: Double
        let units: Int
    }

    init(
        _ size: ExperimentSize, rate: Double, lift: Double, shares: [Double], day: String?,
        daily: Double
    ) {
        (self.rate, self.lift, self.day, self.daily) = (rate, lift, day, daily)
        (error, power) = (ExperimentSize.error, ExperimentSize.power)
        variations = zip(shares, size.units).map { Variation(share: $0, units: $1) }
        let units = size.units.reduce(0, +)
        self.units = units
        // A billion days stand for all that are more.
        days = daily > 0 ? Int(min((Double(units) / daily).rounded(.up), 1e9)) : nil
    }
}
