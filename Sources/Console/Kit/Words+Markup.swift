import Foundation

extension Words {
    /// Writes a time of RFC 3339 in the operator's zone, to the minute. Other texts stay as they are.
    func time(_ text: String) -> Markup {
        guard let date = Self.date(text) else { return Markup(text) }
        let style = Date.VerbatimFormatStyle(
            format:
                "\(year: .defaultDigits)-\(month: .twoDigits)-\(day: .twoDigits) \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits)",
            timeZone: zone, calendar: Calendar(identifier: .gregorian))
        return tag("time", ["datetime": text], date.formatted(style))
    }
}
