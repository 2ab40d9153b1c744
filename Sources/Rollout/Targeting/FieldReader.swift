package import Foundation
import Kernel
import Web

/// Reads values from the texts of fields, and collects what is wrong with them.
package struct FieldReader {
    package let fields: [String: String]
    private let place: String
    package private(set) var mistakes: [String] = []

    package init(_ fields: [String: String], place: String) {
        (self.fields, self.place) = (fields, place)
    }

    package mutating func refuse(_ name: String?, _ reason: String) {
        mistakes.append("\(name.map { "\(place).\($0)" } ?? place): \(reason)")
    }

    /// Checks the key of a section's entry.
    package mutating func requireKey(_ key: String) {
        if !EntryKey.isOne(key) { refuse(nil, "the key must be \(EntryKey.form)") }
    }

    /// - Parameter names: the known names, in the form that `FieldNames` reads.
    package mutating func refuseUnknown(_ names: Set<String>) {
        let names = FieldNames(names)
        for name in fields.keys.sorted() where !names.contains(name) {
            let nearest = names.near(name).map { ": did you mean \($0)?" }
            let hint = [nearest, Self.conditions(name, names, isFirst: nearest == nil)].compactMap(\.self)
                .joined()
            mistakes.append("\(place).\(name) \(names.table(name) ?? "is not a field\(hint)")")
        }
    }

    /// Returns which conditions exist, if the name is that of an unknown condition.
    private static func conditions(_ name: String, _ names: FieldNames, isFirst: Bool) -> String? {
        let parts = name.split(separator: ".")
        guard let place = parts.lastIndex(of: "when") else { return nil }
        return names.table(parts[...place].joined(separator: ".")).map { "\(isFirst ? ":" : "") when \($0)" }
    }

    package mutating func require(_ names: String...) {
        for name in names where fields[name] == nil { refuse(name, "is missing") }
    }
}

/// The kinds of fields.
extension FieldReader {
    package mutating func read<Value>(_ name: String, _ form: String, _ value: (String) -> Value?) -> Value? {
        guard let text = fields[name] else { return nil }
        if let value = value(text) { return value }
        refuse(name, "'\(text)' is not allowed: it must be \(form)")
        return nil
    }

    package mutating func list<Value>(_ name: String, _ form: String, _ value: (String) -> Value?) -> [Value]
    {
        (fields[name]?.listed ?? []).compactMap { text in
            if let value = value(text) { return value }
            refuse(name, "'\(text)' is not allowed: it must be \(form)")
            return nil
        }
    }

    private static let versionForm = "a version, as in 5.12.0: one to four numbers with dots between them"

    mutating func version(_ name: String) -> VersionNumber? {
        read(name, Self.versionForm) { VersionNumber($0) }
    }

    mutating func condition(_ name: String) -> VersionCondition {
        VersionCondition(
            below: version("\(name).lt"), upTo: version("\(name).lte"), above: version("\(name).gt"),
            from: version("\(name).gte"),
            among: list("\(name).in", Self.versionForm) { VersionNumber($0) })
    }

    package mutating func time(_ name: String) -> Date? {
        read(name, "a day, as in 2026-11-21, or a time as RFC 3339 writes it: 2026-11-21T09:30:00Z") {
            Date(rfc3339: $0)
        }
    }

    package mutating func number(_ name: String, _ range: ClosedRange<Int>) -> Int? {
        read(name, "a number from \(range.lowerBound) to \(range.upperBound)") { text in
            Int(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// Reads a percentage, in hundredths, which are parts of `Bucket.count`.
    mutating func share(_ name: String) -> Int? {
        read(name, "a number from 0 to 100, with at most two decimals") { Self.hundredths($0) }
    }

    mutating func platform(_ name: String) -> AppPlatform? {
        read(name, "ios or android") { AppPlatform(rawValue: $0) }
    }

    mutating func app(_ name: String) -> String? {
        read(name, "a bundle id or package, as in com.example.app") { $0.isAppID ? $0 : nil }
    }

    mutating func priority() -> Int { number("priority", -1000...1000) ?? 0 }

    mutating func salt(_ name: String) -> String? {
        read(name, "at most 100 characters") { $0.utf8.count <= 100 ? $0 : nil }
    }

    /// Reads a percentage without floating point, so that 12.34 is 1234.
    private static func hundredths(_ text: String) -> Int? {
        guard let parts = text.wholeMatch(of: /(\d{1,3})(?:\.(\d{1,2}))?/) else { return nil }
        let decimals = "\(parts.2 ?? "")00".prefix(2)
        guard let number = Int("\(parts.1)\(decimals)"), number <= Bucket.count else { return nil }
        return number
    }
}

/// Conditions.
extension FieldReader {
    private static let lists = ["version.in", "build.in", "os.in", "language", "country"]

    /// Whether a field of a condition is a list.
    static func isList(_ field: String) -> Bool {
        lists.contains { field == "when.\($0)" || field.hasSuffix(".when.\($0)") }
    }

    /// The fields of `targeting`, without its prefix.
    static let targetingNames: [String] =
        ["version", "build", "os"].flatMap { part in
            ["lt", "lte", "gt", "gte", "in"].map { "\(part).\($0)" }
        } + ["language", "country", "rollout.percent", "rollout.salt", "from", "until"]

    /// Reads all conditions except platform and app.
    /// - Parameter prefix: the prefix of the fields, such as `when`.
    mutating func targeting(_ prefix: String = "when") -> Targeting {
        var targeting = Targeting()
        targeting.version = condition("\(prefix).version")
        targeting.build = condition("\(prefix).build")
        targeting.system = condition("\(prefix).os")
        targeting.languages = list("\(prefix).language", "a language, as in ja or zh-hant") { Language($0) }
        targeting.countries = list("\(prefix).country", "a country by its two capital letters") {
            $0.wholeMatch(of: /[A-Z]{2}/) == nil ? nil : $0
        }
        targeting.rollout = share("\(prefix).rollout.percent") ?? Bucket.count
        targeting.salt = salt("\(prefix).rollout.salt")
        targeting.from = time("\(prefix).from")
        targeting.until = time("\(prefix).until")
        if let from = targeting.from, let until = targeting.until, from >= until {
            refuse("\(prefix).until", "must be after \(prefix).from")
        }
        return targeting
    }
}

extension String {
    /// Whether it may be a bundle id or a package. There is no regular expression here, which each call would
    /// parse.
    var isAppID: Bool {
        let letters = ASCIISet.alphanumeric + "._-"
        return (1...155).contains(utf8.count) && utf8.allSatisfy(letters.contains)
    }
}
