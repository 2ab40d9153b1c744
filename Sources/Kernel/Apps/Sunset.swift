package import Foundation
import Web

/// The last day of a service that closes, in UTC. When it ends, the service has closed.
package struct Sunset: Hashable, Sendable {
    /// The day as in `2027-03-31`.
    package let text: String
    /// When the day begins.
    package let day: Date

    var end: Date { day.addingTimeInterval(86_400) }

    /// Nil if the text is not a day of the calendar, or its year is not a likely one: then it is a slip of
    /// the pen.
    package init?(_ text: String) {
        guard let parts = text.wholeMatch(of: /(2\d{3})-(\d\d)-(\d\d)/)?.output else { return nil }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let components = DateComponents(
            calendar: calendar, year: Int(parts.1), month: Int(parts.2), day: Int(parts.3))
        guard components.isValidDate, let day = components.date else { return nil }
        (self.text, self.day) = (text, day)
    }

    package func isOver(at now: Date) -> Bool { now >= end }

    /// The last second of the day.
    package var httpDate: String { HTTPDate.text(end.addingTimeInterval(-1)) }
}
