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
