import Foundation
import Web

/// The first instant of a day in a time zone. It is not always midnight, which some days lack or have twice.
enum CalendarDay {
    /// Returns it as RFC 3339 writes it, with the offset from UTC, so that it still says which day it is. Nil
    /// unless the text is a day, such as 2026-11-21.
    static func begin(of text: String, in zone: TimeZone) -> String? {
        guard text.utf8.count == 10, let noon = Date(rfc3339: "\(text)T12:00:00Z") else { return nil }
        var utc = Calendar(identifier: .gregorian)
        utc.timeZone = .gmt
        var local = utc
        local.timeZone = zone
        guard let there = local.date(from: utc.dateComponents([.year, .month, .day, .hour], from: noon))
        else { return nil }
        return local.startOfDay(for: there).rfc3339(in: zone)
    }
}
