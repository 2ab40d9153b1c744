package import Foundation

extension Query {
    /// A time by RFC 3339, with `Z` or the hours from UTC; throws a 400 for any other text.
    package func time(_ key: String) throws(Problem) -> Date? {
        guard let text = try value(key) else { return nil }
        guard let time = Date(rfc3339: text) else {
            throw .invalid(key, "must be a time as RFC 3339 writes it: 2026-11-21T09:30:00Z")
        }
        return time
    }
}

extension Date {
    /// Nil unless it is `2026-11-21T09:30:00Z`, with or without fractions of a second, and with another zone as in `+09:00`.
    package init?(rfc3339 text: String) {
        // A second in its time, a fraction of at most nine digits, a zone.
        guard text.utf8.count <= 35, text.utf8.allSatisfy(\.isVisibleASCII), !text.hasPrefix("0") else {
            return nil
        }
        let second = text.prefix(19)
        var rest = text.dropFirst(19)
        guard let time = try? Date("\(second)Z", strategy: .iso8601),
            // A day that no month has would count as one of the next; and the calendar of long ago was another.
            JSON.timestamp(time).hasPrefix(second)
        else { return nil }
        var fraction = 0.0
        if rest.hasPrefix(".") {
            let digits = rest.dropFirst().prefix { $0.isASCII && $0.isNumber }
            guard (1...9).contains(digits.count), let number = Double("0.\(digits)") else { return nil }
            (fraction, rest) = (number, rest.dropFirst(1 + digits.count))
        }
        guard let seconds = Self.secondsFromUTC(rest) else { return nil }
        self = time.addingTimeInterval(fraction - seconds)
    }

    /// Of a zone: `Z`, or as in `+09:00`.
    private static func secondsFromUTC(_ zone: Substring) -> Double? {
        if zone == "Z" { return 0 }
        let parts = zone.dropFirst().split(separator: ":", omittingEmptySubsequences: false)
        guard zone.hasPrefix("+") || zone.hasPrefix("-"), parts.count == 2,
            parts.allSatisfy({ $0.consists(of: .digits, count: 2...2) }), let hours = Double(parts[0]),
            let minutes = Double(parts[1]), hours < 24, minutes < 60
        else { return nil }
        return (zone.hasPrefix("-") ? -1 : 1) * (hours * 3600 + minutes * 60)
    }
}
