/// A language of the pages, chosen by the `Accept-Language` header (RFC 9110 §12.5.4).
enum Language: String, CaseIterable, Sendable {
    case en, ja

    /// The language if the header asks for none of these.
    static let standard = Language.en
    /// The `Vary` header of every response chosen by language.
    static let vary = "Accept-Language"

    /// Chooses the language with the highest quality, and of equals the first. `*` means the first language that is not
    /// listed, and `en-GB` is English.
    ///
    /// Ignores malformed parts; without a usable part it chooses the standard language.
    init(acceptLanguage header: String?) {
        let ranges = (header ?? "").utf8.split(separator: UInt8(ascii: ","), maxSplits: HeaderList.maxParts)
            .prefix(HeaderList.maxParts).compactMap(Self.range).sorted { $0.quality > $1.quality }
        let unnamed = Self.allCases.first { language in !ranges.contains { $0.tag == language.rawValue } }
        self =
            ranges.prefix { $0.quality > 0 }.lazy
            .compactMap { $0.tag == "*" ? unnamed : Self(rawValue: $0.tag) }.first ?? .standard
    }

    /// Reads one part of the header, as in `ja-JP;q=0.8`: its first subtag in lower case, or `*`.
    private static func range(_ part: Substring.UTF8View) -> (tag: String, quality: Double)? {
        let pieces = part.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
            .map { Substring($0.trimmed).lowercased() }
        let subtags = pieces[0].split(separator: "-", omittingEmptySubsequences: false)
        guard pieces.count <= 2, pieces[0] == "*" || subtags.allSatisfy(isSubtag),
            let quality = pieces.count == 1 ? 1 : quality(pieces[1])
        else { return nil }
        return (String(subtags[0]), quality)
    }

    private static func isSubtag(_ text: Substring) -> Bool {
        (1...8).contains(text.utf8.count) && text.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit }
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
