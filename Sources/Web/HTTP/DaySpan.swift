package import Foundation

/// A span of days: `from` and `to` of a query, or the last days.
package struct DaySpan: Equatable, Sendable {
    /// The days, such as `2026-11-24`, oldest first.
    private(set) package var days: [String]

    /// A text behind all days.
    package static let end = "9999-12-32"

    package var first: String { days.first ?? "" }
    package var last: String { days.last ?? "" }

    /// - Parameters:
    ///   - zone: whose days these are.
    ///   - usual: how many days it has without `from`.
    ///   - most: how many days it may have.
    package init(
        _ query: Query, now: Date, in zone: TimeZone = .gmt, usual: Int = 30, most: Int = 400
    ) throws(Problem) {
        let today = now.addingTimeInterval(Double(zone.secondsFromGMT(for: now)))
        let to = try Self.day("to", query) ?? today
        let from = try Self.day("from", query) ?? to.addingTimeInterval(Double(1 - usual) * 86_400)
        let count = Int((to.timeIntervalSince(from) / 86_400).rounded(.down)) + 1
        guard (1...most).contains(count) else {
            throw .invalid("from", "must be at or before `to`, and at most \(most) days earlier")
        }
        days = Self.days(from, count)
    }

    private static func days(_ first: Date, _ count: Int) -> [String] {
        (0..<count).map { day(of: first.addingTimeInterval(86_400 * Double($0)), in: .gmt) }
    }

    /// Returns the span with all days of a month with which it begins or ends, if that is before a day.
    package func withWholeMonths(before day: String) -> DaySpan {
        var all = self
        if first < day, let ofMonth = Int(first.suffix(2)), let begin = Date(rfc3339: "\(first)T00:00:00Z") {
            all.days =
                Self.days(begin.addingTimeInterval(Double(1 - ofMonth) * 86_400), ofMonth - 1) + all.days
        }
        if last < day, let end = Date(rfc3339: "\(last)T00:00:00Z") {
            all.days += Self.days(end.addingTimeInterval(86_400), 30).prefix {
                $0.prefix(7) == last.prefix(7)
            }
        }
        return all
    }

    /// Returns the span with all days of the weeks with which it begins and ends, from a day on.
    package func withWholeWeeks(from earliest: String) -> DaySpan {
        guard let begin = Date(rfc3339: "\(first)T00:00:00Z"), let end = Date(rfc3339: "\(last)T00:00:00Z")
        else { return self }
        var all = self
        let before = Self.days(since: begin)
        let earlier = Self.days(begin.addingTimeInterval(Double(-before) * 86_400), before)
        let later = Self.days(end.addingTimeInterval(86_400), 6 - Self.days(since: end))
        all.days = earlier.filter { $0 >= earliest } + days + later
        return all
    }

    /// Returns how many days before a day its week began: on Monday (ISO 8601).
    package static func days(since day: Date) -> Int {
        // 1 January 1970 was a Thursday.
        (Int(day.timeIntervalSince1970) / 86_400 + 3) % 7
    }

    /// Returns the day of a time, such as `2026-11-24`.
    package static func day(of time: Date, in zone: TimeZone) -> String {
        String(JSON.timestamp(time.addingTimeInterval(Double(zone.secondsFromGMT(for: time)))).prefix(10))
    }

    private static func day(_ key: String, _ query: Query) throws(Problem) -> Date? {
        guard let text = try query.value(key) else { return nil }
        guard text.utf8.count == 10, let day = Date(rfc3339: "\(text)T00:00:00Z") else {
            throw .invalid(key, "must be a day, as in 2026-11-24")
        }
        return day
    }
}
