package import Foundation

extension Query {
    /// Returns a time by RFC 3339, with `Z` or an offset from UTC. Throws a 400 for any other text.
    package func time(_ key: String) throws(Problem) -> Date? {
        guard let text = try value(key) else { return nil }
        guard let time = Date(rfc3339: text) else {
            throw .invalid(key, "must be a time as RFC 3339 writes it: 2026-11-21T09:30:00Z")
        }
        return time
    }
}

extension Date {
    /// Nil unless the text is like `2026-11-21T09:30:00Z`. It may have fractions of a second, and an offset
    /// such as `+09:00`.
    package init?(rfc3339 text: String) {
        // The parts are a time in whole seconds, a fraction of at most nine digits, and a zone.
        guard text.utf8.count <= 35, text.utf8.allSatisfy(\.isVisibleASCII), !text.hasPrefix("0") else {
            return nil
        }
        let second = text.prefix(19)
        var rest = text.dropFirst(19)
        guard let time = try? Date("\(second)Z", strategy: .iso8601),
            // A day that its month does not have would count as one of the next month, and in early centuries
            // another calendar applies.
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

    /// Writes it as RFC 3339 does, to the second, with a zone's offset from UTC.
    package func rfc3339(in zone: TimeZone) -> String {
        let seconds = zone.secondsFromGMT(for: self)
        // RFC 3339 has no seconds in an offset, which zones had before railways.
        guard seconds % 60 == 0, seconds != 0 else { return "\(JSON.timestamp(self).prefix(19))Z" }
        let minutes = abs(seconds) / 60
        let offset = [minutes / 60, minutes % 60].map { ($0 < 10 ? "0" : "") + String($0) }
        let local = JSON.timestamp(self + Double(seconds)).prefix(19)
        return "\(local)\(seconds < 0 ? "-" : "+")\(offset.joined(separator: ":"))"
    }

    /// Reads a zone: `Z`, or an offset such as `+09:00`.
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
