package import Foundation
import Synchronization

/// Times as HTTP writes them (RFC 9110 §5.6.7).
package enum HTTPDate {
    package static func text(_ date: Date) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let style = Date.VerbatimFormatStyle(
            format: """
                \(weekday: .abbreviated), \(day: .twoDigits) \(month: .abbreviated) \(year: .padded(4)) \
                \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\
                \(second: .twoDigits) GMT
                """,
            locale: Locale(identifier: "en_US_POSIX"), timeZone: .gmt, calendar: calendar)
        return date.formatted(style)
    }

    /// The time of each answer's `Date`, written anew each second.
    package static var now: String { cache.text(at: Date()) }

    private static let cache = Cache()

    final class Cache: Sendable {
        private let written = Mutex((second: -1.0, text: ""))

        func text(at now: Date) -> String {
            let second = now.timeIntervalSince1970.rounded(.down)
            if let text = written.withLock({ $0.second == second ? $0.text : nil }) { return text }
            // The text is made outside of the lock, for which all answers would wait.
            let text = HTTPDate.text(Date(timeIntervalSince1970: second))
            written.withLock { $0 = (second, text) }
            return text
        }
    }
}
