import HTTPServer
import Links

/// Reads how long visits are kept and counted.
extension ClickPolicy {
    init(_ settings: EnvironmentReader) {
        self.init()
        days = settings.value(
            "KITH_CLICK_DAYS", default: days,
            SettingReading("from 0 to 3650") { Int($0).flatMap { (0...3650).contains($0) ? $0 : nil } })
        countDays = settings.value(
            "KITH_CLICK_COUNT_DAYS", default: countDays,
            SettingReading("from 31 to 3650") { Int($0).flatMap { (31...3650).contains($0) ? $0 : nil } })
        countryHeader = settings.value(
            "KITH_COUNTRY_HEADER", default: nil, shown: "–",
            SettingReading("one of \(RequestHead.countryHeaders.joined(separator: ", "))") { text in
                RequestHead.countryHeaders.first { $0.lowercased() == text.lowercased() }
            })
    }
}
