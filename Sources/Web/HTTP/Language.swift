/// A language by its canonical tag in lower case (RFC 5646): `ja`, or `pt-br`. `iw` becomes `he`, and `zh-TW`
/// becomes `zh-hant`.
package struct Language: Hashable, Sendable, CustomStringConvertible {
    package let tag: String

    /// Nil if the text is not a tag: letters and digits in parts of at most eight.
    package init?(_ text: some StringProtocol) {
        let tag = text.lowercased()
        let parts = tag.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        let isTag = parts.allSatisfy { part in
            (1...8).contains(part.count) && part.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit }
        }
        guard isTag, tag.utf8.count <= 35 else { return nil }
        self.tag = Self.canonical(tag)
    }

    /// The language of a visitor, as exactly as it is likely meant. Chinese without a script counts as
    /// simplified.
    package init?(spoken text: some StringProtocol) {
        guard let language = Language(text) else { return nil }
        self = language.tag == "zh" ? Language(canonical: "zh-hans") : language
    }

    private init(canonical tag: String) { self.tag = tag }

    /// Old names that Android, Java and some browsers still use
    /// (https://www.iana.org/assignments/language-subtag-registry).
    private static let renamed = [
        "in": "id", "iw": "he", "ji": "yi", "jw": "jv", "mo": "ro", "no": "nb", "tl": "fil", "cmn": "zh",
    ]

    private static func canonical(_ tag: String) -> String {
        let end = tag.firstIndex(of: "-") ?? tag.endIndex
        let primary = renamed[String(tag[..<end])] ?? String(tag[..<end])
        return primary == "zh" ? chinese(tag[end...].split(separator: "-")) : primary + tag[end...]
    }

    /// Returns the tag with its script, and without a region that the script makes likely
    /// (https://cldr.unicode.org, likely subtags).
    private static func chinese(_ given: [Substring]) -> String {
        var parts = given.first == "cmn" ? given.dropFirst() : given[...]
        let script = parts.first.flatMap { ["hans", "hant"].contains($0) ? parts.removeFirst() : nil }
        let region = parts.first
        let likely = region.flatMap {
            ["cn", "sg", "my"].contains($0) ? "hans" : ["tw", "hk", "mo"].contains($0) ? "hant" : nil
        }
        guard let script = script ?? likely.map({ Substring($0) }) else {
            return (["zh"] + parts).joined(separator: "-")
        }
        if region == (script == "hans" ? "cn" : "tw") { parts.removeFirst() }
        return (["zh", script] + parts).joined(separator: "-")
    }

    package var description: String { tag }

    /// The language and its less exact forms: `zh-hant-tw`, `zh-hant`, `zh`.
    package var widened: [String] {
        let parts = tag.split(separator: "-")
        return (1...parts.count).reversed().map { parts.prefix($0).joined(separator: "-") }
    }
}

/// The languages that the pages speak, and which of them a visitor gets.
package struct Languages: Sendable {
    /// `KITH_LANGUAGE`: the language for visitors who name none of these, such as most fetchers of previews.
    package let standard: Language
    package let all: [Language]

    package init(standard: Language, all: [Language]) {
        self.standard = standard
        self.all = all
    }

    /// The `Vary` header of every response chosen by language.
    package static let vary = "Accept-Language"

    /// Chooses a language: first by the query, otherwise by the `Accept-Language` header (RFC 9110 §12.5.4,
    /// RFC 4647 §3.4). There the highest quality wins, and the first of equal ones. `*` means the standard
    /// language, or the first that is not named, and `en-GB` is English.
    ///
    /// Malformed parts are ignored. Without a usable part the standard language is chosen.
    /// - Parameter wish: what the query asks for, as in `ja` or, from Facebook, `ja_JP`.
    package func chosen(_ wish: String?, acceptLanguage header: String?) -> Language {
        if let wish, let language = known(wish.split(separator: "_").joined(separator: "-")) {
            return language
        }
        let ranges = (header ?? "").utf8.split(separator: UInt8(ascii: ","), maxSplits: HeaderList.maxParts)
            .prefix(HeaderList.maxParts).compactMap(Self.range).sorted { $0.quality > $1.quality }
        let unnamed = ([standard] + all).first { language in !ranges.contains { $0.tag == language.tag } }
        return ranges.prefix { $0.quality > 0 }.lazy
            .compactMap { $0.tag == "*" ? unnamed : known($0.tag) }.first ?? standard
    }

    private func known(_ tag: String) -> Language? {
        Language(spoken: tag)?.widened.lazy.compactMap { tag in all.first { $0.tag == tag } }.first
    }

    /// Reads one part of the header, as in `ja-JP;q=0.8`.
    private static func range(_ part: Substring.UTF8View) -> (tag: String, quality: Double)? {
        let pieces = part.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
            .map { Substring($0.trimmed).lowercased() }
        guard pieces.count <= 2, let quality = pieces.count == 1 ? 1 : quality(pieces[1]) else { return nil }
        return (Language(pieces[0])?.tag ?? pieces[0], quality)
    }
}

/// Reads a quality, as in `q=0.5`: from 0 to 1, with at most three decimals.
func quality(_ parameter: String) -> Double? {
    let value = parameter.dropFirst(2)
    guard parameter.hasPrefix("q="), value.first == "0" || value.first == "1",
        value.utf8.dropFirst().first ?? UInt8(ascii: ".") == UInt8(ascii: "."), value.utf8.count <= 5,
        value.utf8.dropFirst(2).allSatisfy(\.isASCIIDigit), let quality = Double(value), quality <= 1
    else { return nil }
    return quality
}
