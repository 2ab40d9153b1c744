/// Whether a text means a user: row 3 of the table "Text stuck to a link" in docs/rules.md.
extension StuckText {
    /// Whether a text says `invitedBy` and something behind it, in whatever case, form and encoding, or
    /// assigns something to a key that looks like it. If so, its writer meant a user. A name of letters and
    /// digits says nothing.
    package static func mentionsUID(_ text: some StringProtocol) -> Bool {
        guard !text.unicodeScalars.allSatisfy(\.isOfID) else { return false }
        var bytes = Array(text.utf8)
        for _ in 0..<4 {
            if saysUID(bytes) { return true }
            guard bytes.contains(UInt8(ascii: "%")) else { return false }
            bytes = decodedBytes(encodedOnce(bytes))
        }
        return saysUID(bytes)
    }

    private static func saysUID(_ bytes: [UInt8]) -> Bool {
        let plain = PlainText(bytes)
        let letters = plain.letters
        return plain.hasKeyLikeUID
            || letters.indices.contains { place in
                guard letters[place...].starts(with: key) else { return false }
                // This also finds `?invitedBy?=` and `?invitedBy/`.
                let end = letters[(place + key.count)...].firstIndex { !"?/".utf8.contains($0) }
                return plain.assigned.contains(place + key.count)
                    || plain.assigned.contains(end ?? letters.count)
                    || end.map { valueBeginnings.contains(letters[$0]) } == true
            }
    }

    fileprivate static let key = Array("invitedby".utf8)
    private static let valueBeginnings = ASCIISet.alphanumeric + ";"

    /// Returns the bytes with `%` in place of `%25`, `%2525` and so on.
    private static func encodedOnce(_ bytes: [UInt8]) -> [UInt8] {
        var (once, rest) = ([UInt8](), bytes[...])
        while let byte = rest.popFirst() {
            once.append(byte)
            guard byte == UInt8(ascii: "%") else { continue }
            while rest.starts(with: "25".utf8) { rest = rest.dropFirst(2) }
        }
        return once
    }
}

/// The ASCII letters and digits of a text, in lower case, with the characters that end a part of a URL.
/// Letters that look like ASCII ones count as these; all other characters are left out.
private struct PlainText {
    private(set) var letters: [UInt8] = []
    /// The indexes in `letters` before which something is assigned, with `=`, `:` or an HTML entity.
    private(set) var assigned: Set<Int> = []
    /// Whether something is assigned with `=` to a key that a reader may take for `invitedBy`.
    private(set) var hasKeyLikeUID = false
    /// A possible key: the letters since the last part began, with `foreign` for each character of another
    /// script.
    private var key: [UInt8] = []

    init(_ bytes: [UInt8]) {
        var rest = bytes.allSatisfy { $0 < 0x80 } ? bytes[...] : ArraySlice(Self.compatible(bytes))
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "="):
                // Mail programs break their lines behind an equals sign.
                if rest.first != 0x0D, rest.first != 0x0A { assign(isKey: true) }
            case UInt8(ascii: ":"):
                if rest.first != 0x0D, rest.first != 0x0A { assign(isKey: false) }
            case UInt8(ascii: "&"): takeAmpersand(&rest)
            case UInt8(ascii: "\\") where rest.first.map { $0 | 0x20 } == UInt8(ascii: "u"):
                rest = rest.dropFirst(5)
                assign(isKey: false)
            case UInt8(ascii: "<"):
                if let end = rest.prefix(16).firstIndex(of: UInt8(ascii: ">")) { rest = rest[(end + 1)...] }
            case UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "/"), UInt8(ascii: ";"): endPart(byte)
            case _ where ASCIISet.alphanumeric.contains(byte):
                letters.append(byte | 0x20)
                key.append(byte | 0x20)
            case Self.foreign: key.append(byte)
            default: break
            }
        }
    }

    private mutating func assign(isKey: Bool) {
        assigned.insert(letters.count)
        guard isKey else { return }
        hasKeyLikeUID = hasKeyLikeUID || Self.looksLikeUID(key)
        key = []
    }

    private mutating func endPart(_ byte: UInt8) {
        letters.append(byte)
        key = []
    }

    private mutating func takeAmpersand(_ rest: inout ArraySlice<UInt8>) {
        guard let entity = Self.entities.first(where: { rest.starts(with: $0.name) }) else {
            return endPart(UInt8(ascii: "&"))
        }
        rest = rest.dropFirst(entity.name.count)
        while entity.hasNumber, let digit = rest.first, digit != UInt8(ascii: ";") {
            guard ASCIISet.alphanumeric.contains(digit) else { break }
            rest.removeFirst()
        }
        if rest.first == UInt8(ascii: ";") { rest.removeFirst() }
        assign(isKey: false)
    }

    /// Whether at most two letters keep a key from being `invitedBy`. A character of another script may stand
    /// for any letter, so no list of similar characters is needed. But a key with fewer than five ASCII
    /// letters would look like anything.
    private static func looksLikeUID(_ key: [UInt8]) -> Bool {
        let wanted = StuckText.key
        guard abs(key.count - wanted.count) <= 2, key.count(where: { $0 != foreign }) >= 5 else {
            return false
        }
        // Compute the edit distance, row by row.
        var distances = Array(0...wanted.count)
        for letter in key {
            var diagonal = distances[0]
            distances[0] += 1
            for place in wanted.indices {
                let changed = diagonal + (letter == wanted[place] || letter == foreign ? 0 : 1)
                diagonal = distances[place + 1]
                distances[place + 1] = min(changed, diagonal + 1, distances[place] + 1)
            }
        }
        return distances[wanted.count] <= 2
    }

    /// Entities that HTML has within a word, or for an equals sign.
    private static let entities: [(name: [UInt8], hasNumber: Bool)] =
        [("#", true)].map { (Array($0.0.utf8), $0.1) }
        + ["equals", "shy", "zwnj", "zwj", "lrm", "rlm", "nbsp", "ZeroWidthSpace"].map {
            (Array($0.utf8), false)
        }

    /// A byte that stands for a character outside of ASCII.
    private static let foreign: UInt8 = 0xFF

    /// Returns the text with ASCII characters in place of those that look like them: full-width ones, those
    /// of formulas, those in circles, those of other scripts.
    private static func compatible(_ bytes: [UInt8]) -> [UInt8] {
        String(decoding: bytes, as: UTF8.self).unicodeScalars.compactMap { scalar in
            switch scalar.value {
            case 0..<0x80: UInt8(scalar.value)
            case 0xFF01...0xFF5E: UInt8(scalar.value - 0xFEE0)
            case 0x1D400...0x1D6A3: UInt8(0x61 + (scalar.value - 0x1D400) % 26)
            case 0x24B6...0x24E9: UInt8(0x61 + (scalar.value - 0x24B6) % 26)
            default: lookalikes[scalar] ?? (scalar.isInvisible ? nil : foreign)
            }
        }
    }

    private static let lookalikes: [Unicode.Scalar: UInt8] = [
        "ı": 0x69, "İ": 0x69, "і": 0x69, "І": 0x69, "е": 0x65, "Е": 0x65, "у": 0x79, "У": 0x79, "ԁ": 0x64,
        "ѵ": 0x76, "т": 0x74, "Т": 0x74, "﹦": 0x3D, "﹕": 0x3A,
    ]
}
