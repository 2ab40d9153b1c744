import Foundation
import Kernel
import Logging
import Web

/// How to read the text of a setting, and a description of what is allowed.
struct SettingReading<Value> {
    let allowed: String
    let read: (String) -> Value?

    init(_ allowed: String, _ read: @escaping (String) -> Value?) {
        self.allowed = allowed
        self.read = read
    }
}

extension SettingReading {
    /// The reading for a setting without a default.
    var optional: SettingReading<Value?> {
        SettingReading<Value?>(allowed) { text in read(text).map(Optional.some) }
    }
}

extension SettingReading<Int> {
    static func number(_ range: ClosedRange<Int>) -> SettingReading {
        SettingReading("a whole number from \(range.lowerBound) to \(range.upperBound)") { text in
            Int(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    static var positive: SettingReading { number(1...1_000_000) }
    static var counting: SettingReading { number(0...1_000_000) }
    /// A lag in seconds behind the primary. A standby is asked once a second, so less than three would rarely
    /// be known.
    static var lag: SettingReading {
        SettingReading("0, or a whole number of seconds from 3 to 3600") { text in
            Int(text).flatMap { $0 == 0 || (3...3600).contains($0) ? $0 : nil }
        }
    }
}

extension SettingReading<String> {
    static var any: SettingReading { SettingReading("any text") { $0 } }

    /// Returns the reading of a text that pages show.
    static func line(_ limit: Int) -> SettingReading {
        SettingReading("one line of at most \(limit) characters, without control characters") {
            OneLine($0, atMost: limit)?.text
        }
    }
}

extension SettingReading<Bool> {
    static var flag: SettingReading { SettingReading("true or false", Bool.init) }
}

extension SettingReading<SystemVersion?> {
    static var version: SettingReading {
        SettingReading<SystemVersion>("a version, as in 16 or 16.4", SystemVersion.init).optional
    }
}

extension SettingReading<Sunset?> {
    static var sunset: SettingReading {
        SettingReading<Sunset>("the last day (UTC), from 2000 to 2999, as in 2027-03-31", Sunset.init)
            .optional
    }
}

extension SettingReading<String?> {
    static var secureURL: SettingReading {
        SettingReading<String>("an https URL without a login, as in https://example.org/closing") {
            WebURL(written: $0)?.isSecure == true ? $0 : nil
        }
        .optional
    }
}

extension SettingReading<HostPort> {
    static var address: SettingReading {
        SettingReading("host:port, as in 127.0.0.1:8080 or [::1]:8080", HostPort.init)
    }
}

extension SettingReading<Logger.Level> {
    static var level: SettingReading {
        SettingReading("one of \(Logger.Level.allCases.map(\.rawValue).joined(separator: " "))") {
            Logger.Level(rawValue: $0)
        }
    }
}

extension SettingReading<[String]> {
    /// Words that are separated by commas.
    static var words: SettingReading {
        SettingReading("words separated by commas, with * only at the end of a word, as in root,acme*") {
            text in
            let words = text.lowercased().split(separator: ",").map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            return words.allSatisfy { $0.wholeMatch(of: /[^*\s]+\*?/) != nil } ? words : nil
        }
    }
}
