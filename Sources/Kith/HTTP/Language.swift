/// A language that the pages speak, chosen by the `Accept-Language` header (RFC 9110 §12.5.4).
enum Language: String, CaseIterable, Sendable {
    case en, ja

    /// Spoken to whoever asks for nothing that is here.
    static let standard = Language.en
    /// Value of the `Vary` header of every answer that was chosen by language.
    static let vary = "Accept-Language"

    /// The language with the highest quality; of equals the one named first.
    ///
    /// Parts that cannot be read are left out; without a usable part it is the standard language.
    init(acceptLanguage header: String?) {
        let ranges = (header ?? "").split(separator: ",", maxSplits: HeaderList.maxParts)
            .prefix(HeaderList.maxParts).compactMap(LanguageRange.init)
        var best = (language: Language.standard, quality: 0, place: Int.max)
        for language in Language.allCases {
            guard let (place, quality) = language.quality(among: ranges), quality > 0 else { continue }
            if quality > best.quality || (quality == best.quality && place < best.place) {
                best = (language, quality, place)
            }
        }
        self = best.language
    }

    /// Its own range counts before `*`, whatever their qualities; `en-GB` and `en` are both English.
    private func quality(among ranges: [LanguageRange]) -> (place: Int, quality: Int)? {
        let own = ranges.enumerated().filter { $0.element.language == rawValue }
        let wildcard = ranges.enumerated().filter { $0.element.language == "*" }
        return (own.isEmpty ? wildcard : own)
            .max { ($0.element.quality, -$0.offset) < ($1.element.quality, -$1.offset) }
            .map { ($0.offset, $0.element.quality) }
    }
}

/// One part of the header, as in `ja-JP;q=0.8`.
private struct LanguageRange {
    /// The first subtag in lower case, or `*`.
    let language: String
    /// In thousandths.
    let quality: Int

    init?(_ part: Substring) {
        let pieces = part.split(separator: ";", omittingEmptySubsequences: false).map { $0.trimmed }
        let subtags = pieces[0].split(separator: "-", omittingEmptySubsequences: false)
        guard let first = subtags.first, subtags.allSatisfy(\.isSubtag) || pieces[0] == "*" else {
            return nil
        }
        language = first.lowercased()
        guard pieces.count > 1 else {
            quality = 1000
            return
        }
        guard pieces.count == 2, let quality = thousandths(pieces[1]) else { return nil }
        self.quality = quality
    }
}

/// `q=0.5` in thousandths: from 0 to 1 with at most three decimals.
func thousandths(_ parameter: Substring) -> Int? {
    guard parameter.lowercased().hasPrefix("q=") else { return nil }
    let halves = parameter.dropFirst(2).split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(halves.count), halves[0] == "0" || halves[0] == "1" else { return nil }
    let decimals = halves.count == 2 ? halves[1] : ""
    guard decimals.utf8.count <= 3, decimals.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
    let padded = String(decimals) + String(repeating: "0", count: 3 - decimals.utf8.count)
    let quality = (halves[0] == "1" ? 1000 : 0) + (Int(padded) ?? 0)
    return quality <= 1000 ? quality : nil
}

extension Substring {
    fileprivate var trimmed: Substring {
        let blank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        let tail = drop(while: blank)
        return tail[..<(tail.lastIndex { !blank($0) }.map(tail.index(after:)) ?? tail.startIndex)]
    }

    fileprivate var isSubtag: Bool {
        (1...8).contains(utf8.count)
            && utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: false
                }
            }
    }
}
