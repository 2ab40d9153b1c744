import Foundation

extension Query {
    /// A time by RFC 3339, with `Z` or the hours from UTC; throws a 400 for any other text.
    func time(_ key: String) throws(Problem) -> Date? {
        guard let text = try value(key) else { return nil }
        guard let time = Date(rfc3339: text) else {
            throw .invalid(key, "must be a time as RFC 3339 writes it: 2026-11-21T09:30:00Z")
        }
        return time
    }
}

extension Date {
    /// Nil unless it is `2026-11-21T09:30:00Z`, with or without fractions of a second, and with another zone as in `+09:00`.
    init?(rfc3339 text: String) {
        guard
            let parts = text.wholeMatch(
                of: /([1-9]\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d{1,9})?(?:Z|([+\-])([01]\d|2[0-3]):([0-5]\d))/),
            let time = try? Date("\(parts.1)Z", strategy: .iso8601),
            // A day that no month has would count as one of the next; and the calendar of long ago was another.
            JSON.timestamp(time).hasPrefix(parts.1)
        else { return nil }
        let minutes = (Double(parts.4 ?? "0") ?? 0) * 60 + (Double(parts.5 ?? "0") ?? 0)
        let fraction = parts.2.flatMap { Double("0\($0)") } ?? 0
        self = time.addingTimeInterval(fraction - (parts.3 == "-" ? -minutes : minutes) * 60)
    }
}
