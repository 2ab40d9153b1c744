import Counts
import Foundation
import HTTPTypes
import Web

/// Reads how long numbers are kept, and whose days they are of.
extension CountPolicy {
    init(_ settings: EnvironmentReader) {
        self.init()
        days = settings.value(
            "KITH_COUNT_DAYS", default: days,
            SettingReading("from 31 to 3650") { Int($0).flatMap { (31...3650).contains($0) ? $0 : nil } })
        zone = settings.value(
            "KITH_TIME_ZONE", default: zone, shown: "UTC",
            SettingReading("a name of the IANA time zone database, as in Asia/Tokyo") { name in
                name.contains("/") || name == "UTC" ? TimeZone(identifier: name) : nil
            })
        least = settings.value(
            "KITH_NUMBERS_LEAST", default: least,
            SettingReading("from 1 to 1000") { Int($0).flatMap { (1...1000).contains($0) ? $0 : nil } })
        let countries = HTTPField.Name.countries.map(\.rawName)
        countryHeader = settings.value(
            "KITH_COUNTRY_HEADER", default: nil, shown: "–",
            SettingReading("one of \(countries.joined(separator: ", "))") { text in
                countries.first { $0.lowercased() == text.lowercased() }
            })
    }
}
