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
