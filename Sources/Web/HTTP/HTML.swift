/// HTML escaping, the only place where values become markup.
package enum HTML {
    /// Makes a text safe as content and inside a quoted attribute.
    ///
    /// It works on bytes. For a `Character`, which the template library uses, `<` with a combining mark is
    /// not `<`, but a browser opens a tag there.
    package static func escape(_ text: String) -> String {
        let specials = specials
        guard text.utf8.contains(where: specials.contains) else { return text }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count + 32)
        for byte in text.utf8 {
            if let entity = entity(for: byte) { bytes += entity.utf8 } else { bytes.append(byte) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The characters that have an entity.
    private static let specials: ASCIISet = "<>&\"'"

    private static func entity(for byte: UInt8) -> String? {
        switch byte {
        case UInt8(ascii: "<"): "&lt;"
        case UInt8(ascii: ">"): "&gt;"
        case UInt8(ascii: "&"): "&amp;"
        case UInt8(ascii: "\""): "&quot;"
        case UInt8(ascii: "'"): "&#39;"
        default: nil
        }
    }
}
