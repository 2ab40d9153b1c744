package import Foundation
import Web

/// Settings of numbers.
package struct CountPolicy: Sendable {
    /// `KITH_COUNT_DAYS`; 400. How many days have sums of their own. After that the days of a month become
    /// one.
    package var days: Int
    /// `KITH_TIME_ZONE`; UTC. The zone whose days are counted.
    package var zone = TimeZone.gmt
    /// `KITH_NUMBERS_LEAST`; 1. Numbers by country or referrer that are lower are not told.
    package var least = 1
    /// `KITH_COUNTRY_HEADER`; none. The header in which a proxy names the visitor's country.
    package var countryHeader: String?

    package init(days: Int = 400) {
        self.days = days
    }

    /// Returns the first day that has sums of its own. Those before have become months.
    package func firstDay(now: Date) -> String {
        let seconds = zone.secondsFromGMT(for: now) - days * 86_400
        return "\(DaySpan.day(of: now.addingTimeInterval(Double(seconds)), in: .gmt).prefix(7))-01"
    }

    /// The name of the zone for people.
    package var zoneName: String { zone == .gmt ? "UTC" : zone.identifier }
}
