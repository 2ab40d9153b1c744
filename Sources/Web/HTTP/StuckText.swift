/// What chats, mail programs and people leave stuck to the end of a link: brackets, full stops of any script,
/// the text behind it, a second query, invisible characters, each percent-encoded or not. See the table "Text
/// stuck to a link" in docs/rules.md.
///
/// Whatever Kith reads from a link that people passed on, it first takes as written.
package enum StuckText {
    /// Returns the text of a part of a link, as far as it is percent-encoded UTF-8 without a NUL. A percent
    /// sign that encodes nothing is itself.
    package static func decoded(_ encoded: some Collection<UInt8>) -> String {
        if let text = PercentEncoding.decode(encoded) { return text }
        var sound = String.UnicodeScalarView()
        var (bytes, codec) = (decodedBytes(encoded).makeIterator(), UTF8())
        while case .scalarValue(let scalar) = codec.decode(&bytes), scalar.value != 0 { sound.append(scalar) }
        return String(sound.streamSafe)
    }

    static func decodedBytes(_ encoded: some Collection<UInt8>) -> [UInt8] {
        let all = Array(encoded)
        var bytes: [UInt8] = []
        for (place, byte) in all.enumerated() {
            if isLonePercent(all, place) {
                PercentEncoding.escape(byte, into: &bytes)
            } else {
                bytes.append(byte)
            }
        }
        return PercentEncoding.bytes(bytes)
    }

    private static func isLonePercent(_ bytes: [UInt8], _ place: Int) -> Bool {
        bytes[place] == UInt8(ascii: "%")
            && !(place + 2 < bytes.count && bytes[place + 1].isASCIIHexDigit
                && bytes[place + 2].isASCIIHexDigit)
    }

    /// Returns the text without invisible characters.
    package static func visible(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 >= 0x80 }) else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.filter { !$0.isInvisible }))
    }

    /// Returns the possible ids of a text that was encoded more than once, or has something stuck to it, the
    /// longest first.
    package static func readings(ofID text: String, atMost limit: Int) -> [String] {
        let forms = forms(of: text)
        var known: Set<[UInt8]> = []
        return (forms.dropFirst() + forms.flatMap { beginnings(ofID: $0, atMost: limit) })
            .filter { known.insert(Array($0.utf8)).inserted }
            .sorted { $0.unicodeScalars.count > $1.unicodeScalars.count }
    }

    /// Whether a reading of a text is none of its beginnings, since something within it was left out.
    package static func isJoined(_ reading: String, of text: String) -> Bool {
        !forms(of: text).contains { $0.utf8.starts(with: reading.utf8) }
    }

    /// Returns a text, and what it is after one, two and three more decodings, as far as these change it.
    private static func forms(of text: String) -> [String] {
        var forms = [text]
        while let last = forms.last, forms.count < 4, last.utf8.contains(UInt8(ascii: "%")) {
            let next = decoded(last.utf8)
            guard !next.hasSameBytes(as: last) else { break }
            forms.append(next)
        }
        return forms
    }

    /// Returns the text of a path that was encoded once or more often, without invisible characters and line
    /// breaks within it. Behind two line breaks another text begins.
    package static func path(_ encoded: some StringProtocol) -> String {
        let text = String(encoded)
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 >= 0x80 }) else { return text }
        var path = String.UnicodeScalarView()
        var isBroken = false
        for scalar in (forms(of: text).last ?? text).replacing("\r\n", with: "\n").unicodeScalars
        where !scalar.isInvisible {
            if scalar.value >= 0x20 { path.append(scalar) } else if isBroken { break }
            isBroken = scalar.value < 0x20
        }
        return String(path)
    }

    /// Returns the possible ids of a text that has something stuck to it: its beginnings, the longest first,
    /// each before a character with which ids seldom go on. An invisible character may also stand within the
    /// id.
    /// - Parameter limit: no id has more characters.
    package static func beginnings(ofID text: String, atMost limit: Int) -> [String] {
        let visible = visible(text)
        guard visible != text else { return cut(text, limit) }
        var known: Set<String> = []
        return (cut(text, limit) + [visible] + cut(visible, limit)).filter {
            !$0.isEmpty && known.insert($0).inserted
        }
        .sorted { $0.unicodeScalars.count > $1.unicodeScalars.count }
    }

    private static func cut(_ text: String, _ limit: Int) -> [String] {
        let scalars = text.unicodeScalars
        let end = scalars.index(scalars.startIndex, offsetBy: limit + 1, limitedBy: scalars.endIndex)
        return scalars[..<(end ?? scalars.endIndex)].indices.dropFirst().lazy
            .filter { !scalars[$0].isOfID }
            .map { String(scalars[..<$0]) }.reversed()
    }

    /// Returns a name without what is stuck to it. Nil if the result would be the same name, empty, or one of
    /// several.
    package static func name(in text: String) -> String? {
        let (whole, end) = (
            plainName(visible(text)), plainName(String(text.unicodeScalars.prefix { !$0.isInvisible }))
        )
        return whole.isEmpty || whole != end || whole == text ? nil : whole
    }

    private static func plainName(_ text: String) -> String {
        let isASCII = text.unicodeScalars.first?.isASCII == true
        var name = text.unicodeScalars.prefix { $0.isOfName && ($0.isASCII || !isASCII) }
        while let last = name.last, last.isASCII, !last.isOfID { name.removeLast() }
        return String(name)
    }

    /// Returns the beginning of a number or of a name with dotted parts. It does not end before a further
    /// part.
    package static func dottedBeginning(of text: String, where isKnown: (String) -> Bool) -> String? {
        beginnings(ofID: text, atMost: 255).first { beginning in
            let rest = text.utf8.dropFirst(beginning.utf8.count)
            let goesOn =
                rest.first == UInt8(ascii: ".")
                && rest.dropFirst().first.map(ASCIISet.alphanumeric.contains) == true
            return !goesOn && isKnown(beginning)
        }
    }

    /// Returns the longest beginning that has only these characters.
    package static func beginning(of text: some StringProtocol, _ allowed: ASCIISet) -> String {
        String(decoding: Array(text.utf8.prefix { allowed.contains($0) }), as: UTF8.self)
    }

    /// Splits a path segment into a name and the query behind it. The question mark between them may have
    /// been percent-encoded, alone or with the whole query.
    package static func parts(_ segment: String, _ query: Query) -> (spelling: String, query: Query) {
        guard segment.utf8.contains(UInt8(ascii: "%")),
            (try? query.encoded("invitedBy")?.isEmpty == nil) == true,
            let end = ["%3F", "%3f"].compactMap({ segment.utf8.firstRange(of: $0.utf8) })
                .min(by: { $0.lowerBound < $1.lowerBound }), end.lowerBound > segment.startIndex
        else { return (segment, query) }
        let behind = String(segment[end.upperBound...])
        guard
            let found = ([behind, decodedQuery(behind)] as [String]).first(where: {
                (try? Query($0).encoded("invitedBy")) != nil
            })
        else { return (segment, query) }
        return (String(segment[..<end.lowerBound]), Query(query.raw.map { "\(found)&\($0)" } ?? found))
    }

    /// Returns a query that was encoded as a whole in the form that it had before.
    private static func decodedQuery(_ encoded: String) -> String {
        var bytes: [UInt8] = []
        for byte in decodedBytes(encoded.utf8) {
            if byte > 0x20, byte < 0x7F, !"\"#<>\\^`{|}".utf8.contains(byte) {
                bytes.append(byte)
            } else {
                PercentEncoding.escape(byte, into: &bytes)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// What stands for a line break within a link: something invisible, which may stand within an id or end
    /// it.
    package static let lineBreak = "\u{200B}"

    /// Returns a URL in which brackets, backslashes and percent signs that encode nothing are encoded, and
    /// `lineBreak` stands for each control character. If no uid stands before the first of these, the URL
    /// ends there.
    package static func repaired(_ url: String) -> String {
        var all = Array(url.utf8)
        if let end = all.firstIndex(where: isControl),
            !mentionsUID(String(decoding: all[..<end], as: UTF8.self))
        {
            all.removeSubrange(end...)
        }
        var bytes: [UInt8] = []
        var slashes = 0
        for (place, byte) in all.enumerated() {
            if byte == UInt8(ascii: "/") { slashes += 1 }
            if isControl(byte) {
                for byte in lineBreak.utf8 { PercentEncoding.escape(byte, into: &bytes) }
            } else if isLonePercent(all, place) || slashes > 2 && "[]\\".utf8.contains(byte) {
                PercentEncoding.escape(byte, into: &bytes)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x7F }

    /// Returns the query with `&` in place of HTML's `&amp;`.
    package static func query(_ query: Query) -> Query {
        guard let raw = query.raw, raw.utf8.contains(UInt8(ascii: ";")) else { return query }
        var (bytes, rest) = ([UInt8](), raw.utf8[...])
        while let byte = rest.popFirst() {
            bytes.append(byte)
            guard byte == UInt8(ascii: "&") else { continue }
            while rest.prefix(4).map({ $0 | 0x20 }).elementsEqual("amp;".utf8.map { $0 | 0x20 }) {
                rest = rest.dropFirst(4)
            }
        }
        return Query(String(decoding: bytes, as: UTF8.self))
    }
}

extension Unicode.Scalar {
    /// Whether an id is likely to go on with the character.
    var isOfID: Bool {
        isASCII && (ASCIISet.alphanumeric + "-_").contains(UInt8(truncatingIfNeeded: value))
    }

    /// Whether usernames, including imported ones, may have the character.
    fileprivate var isOfName: Bool {
        if isASCII { return isOfID || ".~+@'".unicodeScalars.contains(self) }
        return switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .nonspacingMark,
            .spacingMark, .enclosingMark, .decimalNumber, .letterNumber, .otherNumber:
            true
        default: false
        }
    }

    /// Whether the character takes no room: joiners, marks of direction, soft hyphens, variation selectors.
    var isInvisible: Bool {
        value >= 0x80 && (properties.isDefaultIgnorableCodePoint || properties.generalCategory == .format)
    }

    /// Whether the character shows nothing, or a blank.
    package var isBlank: Bool {
        // These two are the blank pattern of Braille and the replacement for an object.
        isInvisible || properties.isWhitespace || value == 0x2800 || value == 0xFFFC
    }
}
