/// Texts that people made, and that may run from right to left, or turn what stands beside them.
extension String {
    /// Whether it may change the order in which a line that it stands in is shown.
    var turnsLines: Bool { unicodeScalars.contains { $0.isDirected || $0.isControl } }

    /// The text for a place of its own in a line, whose order it keeps.
    var withoutIsolates: String {
        String(String.UnicodeScalarView(unicodeScalars.filter { !$0.isIsolate }))
    }

    /// The text in a sentence, whose order it keeps: between FSI and PDI, of which it has none of its own.
    var isolated: String { turnsLines ? "\u{2068}\(withoutIsolates)\u{2069}" : self }

    /// The text with controls of direction as JSON escapes them, for lines that a program made of several.
    var showingControls: String {
        guard unicodeScalars.contains(where: \.isControl) else { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            if scalar.isControl {
                text += "\\u" + String(scalar.value, radix: 16)
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
    }
}

extension Unicode.Scalar {
    /// Whether it begins another direction, or ends one (https://www.unicode.org/reports/tr9/).
    fileprivate var isControl: Bool { (0x202A...0x202E).contains(value) || isIsolate }
    fileprivate var isIsolate: Bool { (0x2066...0x2069).contains(value) }

    /// Whether it is written from right to left, or marks that.
    fileprivate var isDirected: Bool {
        switch value {
        case 0x0590...0x08FF, 0x200F, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF, 0x1E800...0x1EFFF:
            true
        default: false
        }
    }
}
