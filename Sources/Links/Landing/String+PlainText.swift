extension String {
    /// The text without direction controls, and with right-to-left text isolated from the sentence around it
    /// (UAX #9). It is for texts without markup, which cannot contain `<bdi>`.
    var inPlainText: String {
        // No scalar that matters here is below U+0590.
        guard utf8.contains(where: { $0 >= 0xD6 }) else { return self }
        return unicodeScalars.contains(where: \.isRightToLeft) ? isolated : withoutDirectionControls
    }

    /// The text isolated whatever its script, for the end of a sentence: otherwise the full stop of `Inc.`
    /// would move to its other side.
    var isolated: String { "\u{2068}\(withoutDirectionControls)\u{2069}" }

    private var withoutDirectionControls: String {
        String(String.UnicodeScalarView(unicodeScalars.filter { !$0.isDirectionControl }))
    }
}

extension Unicode.Scalar {
    fileprivate var isDirectionControl: Bool {
        0x202A...0x202E ~= value || 0x2066...0x2069 ~= value
    }

    /// Whether the scalar is in one of the blocks that Unicode reserves for right-to-left scripts.
    fileprivate var isRightToLeft: Bool {
        switch value {
        case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF, 0x1E800...0x1EFFF: true
        default: false
        }
    }
}
