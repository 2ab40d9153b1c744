import Foundation
import Web

/// The words of the console in one language, and how it writes numbers and times.
struct Words: Sendable {
    let language: String
    let texts: [String: String]
    /// What the API says in this language. Nil: it says it itself.
    let sayings: Sayings?
    /// The zone of the operator's days (`KITH_TIME_ZONE`).
    let zone: TimeZone

    /// Returns the text of a key. A test walks all pages, in both languages, so that none lacks its text.
    subscript(key: String) -> String { texts[key] ?? key }

    /// Returns the text of a key, with values for its names in braces, none of which turns the sentence.
    func callAsFunction(_ key: String, _ values: KeyValuePairs<String, String>) -> String {
        var text = self[key]
        for (name, value) in values { text = text.replacing("{\(name)}", with: value.isolated) }
        return text
    }

    /// Nil if there is no such text.
    func text(ifAny key: String) -> String? { texts[key] }

    /// English and Japanese group digits alike.
    func number(_ number: Int) -> String { number < 0 ? "−\((-number).grouped)" : number.grouped }

    func decimal(_ number: Double) -> String {
        number.formatted(.number.precision(.fractionLength(0...2)).locale(Locale(identifier: "en")))
    }

    /// Writes a share from 0 to 1 in per cent.
    func share(_ share: Double) -> String {
        share.formatted(.percent.precision(.fractionLength(0...1)).locale(Locale(identifier: "en")))
    }

    static func date(_ text: String) -> Date? {
        try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains(".")))
    }

    /// Returns the day that it is now, moved by some days, as in `2026-11-30`.
    func day(_ now: Date, plus days: Int = 0) -> String {
        let date = calendar.date(byAdding: .day, value: days, to: now) ?? now
        let style = Date.VerbatimFormatStyle(
            format: "\(year: .defaultDigits)-\(month: .twoDigits)-\(day: .twoDigits)", timeZone: zone,
            calendar: calendar)
        return date.formatted(style)
    }
}

extension Words {
    static let files: [(tag: String, json: [UInt8])] = [
        ("en", PackageResources.en_json), ("ja", PackageResources.ja_json),
    ]

    private static let sayings = ["ja": Sayings(read(PackageResources.ja_api_json))]

    private static func read(_ json: [UInt8]) -> [String: String] {
        (try? JSONDecoder().decode([String: String].self, from: Data(json))) ?? [:]
    }

    private static let all: [Language: [String: String]] = Dictionary(
        uniqueKeysWithValues:
            files
            .compactMap { tag, json in
                Language(tag).map { ($0, read(json)) }
            })

    static let languages = Languages(
        standard: all.keys.first { $0.tag == "en" } ?? all.keys.first ?? Language("en").unsafelyUnwrapped,
        all: Array(all.keys))

    /// What the languages call themselves.
    static let names: [(tag: String, name: String)] = files.map { tag, _ in
        (tag, Language(tag).flatMap { all[$0]?["kit.language"] } ?? tag)
    }

    /// The cookie with the language that somebody chose.
    static let cookie = "kith-language"

    /// Chooses the language by the person's wish, then by their browser.
    static func chosen(wish: String?, acceptLanguage: String?, zone: TimeZone) -> Words {
        let language = languages.chosen(wish, acceptLanguage: acceptLanguage)
        return Words(
            language: language.tag, texts: all[language] ?? [:], sayings: sayings[language.tag], zone: zone)
    }
}
