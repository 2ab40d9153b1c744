import Web

/// Text in pictures: escaped, measured, and cut to the room that it has.
enum ChartText {
    /// Makes a text safe in SVG. XML has no controls and no U+FFFE or U+FFFF, not even as entities.
    static func escape(_ text: String) -> String {
        let scalars = text.visible.unicodeScalars.map { ($0.value & 0xFFFE) == 0xFFFE ? "\u{FFFD}" : $0 }
        return HTML.escape(String(String.UnicodeScalarView(scalars)))
    }

    /// Returns about how wide a text is in the fonts of browsers, rather too wide than too narrow.
    static func width(_ text: some StringProtocol, _ size: Double) -> Double {
        text.unicodeScalars.reduce(0) { $0 + ems($1) } * size
    }

    private static let narrow = Set("iIjlt.,:;'|!()[]/ ".unicodeScalars)
    private static let broad = Set("mwMW%@&—".unicodeScalars)

    private static func ems(_ scalar: Unicode.Scalar) -> Double {
        if scalar.isASCII {
            if narrow.contains(scalar) { return 0.33 }
            if broad.contains(scalar) { return 0.9 }
            return ("A"..."Z").contains(scalar) ? 0.68 : 0.58
        }
        return (0x1100...0xFFEF).contains(scalar.value) && !(0x2000...0x2E7F).contains(scalar.value)
            || scalar.value > 0x1F000 ? 1.05 : 0.65
    }

    /// Returns the text, cut in its middle if it is too wide: values often differ at their ends.
    static func fitted(_ text: String, within most: Double, _ size: Double) -> String {
        let letters = Array(text.prefix(200)) + Array(text.dropFirst(200).suffix(200))
        guard letters.count < text.count || width(text, size) > most else { return text }
        var (head, tail, room) = (0, letters.count, most - width("…", size))
        while head < tail {
            let isHead = head <= letters.count - tail
            let letter = letters[isHead ? head : tail - 1]
            room -= width(String(letter), size)
            guard room >= 0 else { break }
            if isHead { head += 1 } else { tail -= 1 }
        }
        return "\(String(letters[..<head]))…\(String(letters[tail...]))"
    }

    /// Returns an SVG text.
    /// - Parameter anchor: `start`, `middle` or `end`.
    static func svg(
        _ text: String, _ x: Double, _ y: Double, _ kind: String = "soft", anchor: String = "start"
    ) -> String {
        let anchor = anchor == "start" ? "" : " text-anchor=\"\(anchor)\""
        return "<text class=\"\(kind)\" x=\"\(x.written)\" y=\"\(y.written)\"\(anchor)>\(escape(text))</text>"
    }
}

extension Double {
    /// The number as in an SVG: with at most one decimal.
    var written: String {
        let tenths = Int((self * 10).rounded())
        let sign = tenths < 0 ? "-" : ""
        let (whole, rest) = (abs(tenths) / 10, abs(tenths) % 10)
        return rest == 0 ? "\(sign)\(whole)" : "\(sign)\(whole).\(rest)"
    }
}
