import Foundation
import Web

/// Days and times of forms, which are the operator's own, as calls have them, and back.
extension Words {
    /// Whose days and times a form asks for.
    var zoneHint: String { self("kit.zone", ["zone": zone.identifier]) }

    /// Returns when a day begins, moved by some days. What is no day stays, for the API to refuse.
    func beginning(of day: String, plus days: Int = 0) -> String {
        guard day.utf8.count == 10, let time = date(ofLocal: "\(day)T00:00") else { return day }
        return (calendar.date(byAdding: .day, value: days, to: time) ?? time).rfc3339(in: zone)
    }

    /// Returns a time of a form, such as `2026-12-01T09:30`, as calls have it. Another text stays, and so
    /// does a time that clocks leave out in spring, for the API to refuse.
    func moment(ofLocal text: String) -> String {
        guard let moment = date(ofLocal: text)?.rfc3339(in: zone), moment.prefix(16) == text.prefix(16)
        else { return text }
        return moment
    }

    /// Returns a time of a call as a form has it. Another text stays.
    func local(_ text: String) -> String {
        guard let date = Date(rfc3339: text) else { return text }
        return String(date.rfc3339(in: zone).prefix(16))
    }

    private func date(ofLocal text: String) -> Date? {
        let seconds = text.utf8.count == 16 ? ":00" : ""
        guard let time = Date(rfc3339: "\(text)\(seconds)Z") else { return nil }
        var utc = calendar
        utc.timeZone = .gmt
        return calendar.date(
            from: utc.dateComponents([.year, .month, .day, .hour, .minute, .second], from: time))
    }

    /// The calendar of the operator's days.
    var calendar: Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        return calendar
    }
}
