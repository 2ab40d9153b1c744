import Foundation

extension Words {
    /// What the API says: in the reader's language if there are words for it, else marked as English.
    func said(_ english: String) -> Markup {
        guard let sayings, !english.isEmpty else { return Markup(english) }
        return sayings(english).map { Markup($0) } ?? tag("span", ["lang": "en"], english)
    }

    /// Writes a time of RFC 3339 in the operator's zone, to the minute. Other texts stay as they are.
    func time(_ text: String) -> Markup {
        minute(text).map { tag("time", ["datetime": text], $0) } ?? Markup(text)
    }

    /// Writes a time of RFC 3339 as a text. Nil if it is none.
    func minute(_ text: String) -> String? {
        guard let date = Self.date(text) else { return nil }
        let style = Date.VerbatimFormatStyle(
            format:
                "\(year: .defaultDigits)-\(month: .twoDigits)-\(day: .twoDigits) \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits)",
            timeZone: zone, calendar: Calendar(identifier: .gregorian))
        return date.formatted(style)
    }
}
