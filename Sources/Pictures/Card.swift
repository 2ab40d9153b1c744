/// The content of a preview card: what it shows of a person.
package struct Card: Hashable, Sendable {
    package static let width = 1200
    package static let height = 630

    /// The name, in the large line.
    package var name: String
    /// The text in the circle if there is no face.
    package var initial: String
    /// What the person does, as in "invites you to Lantern".
    package var caption: String
    /// The handle, as in `@hana`. Nil if the name is the same.
    package var handle: String?
    /// The number of one of the pages' colours, from 0 to 5.
    package var tint: Int
    /// The URL of the user's picture. Nil if there is none, or its host is not allowed.
    package var face: String?
    /// The tag of the language (BCP 47), which decides the form of Han characters.
    package var language: String

    package init(
        name: String, initial: String, caption: String, handle: String? = nil, tint: Int, face: String? = nil,
        language: String
    ) {
        self.name = name
        self.initial = initial
        self.caption = caption
        self.handle = handle
        self.tint = tint
        self.face = face
        self.language = language
    }

    /// A number that grows when the same card is drawn differently.
    private static let version: UInt8 = 1

    /// Returns everything that decides the picture, for a hash.
    package func content(in style: CardStyle) -> [UInt8] { content(style.tag) }

    private func content(_ style: String) -> [UInt8] {
        var content = [Self.version, UInt8(tint)]
        content.reserveCapacity(256)
        for part in [style, name, initial, caption, handle ?? "", face ?? "", language] {
            content += part.utf8
            content.append(0)
        }
        return content
    }

    // Cards are compared by bytes, like the ETag: strings that Swift holds equal, such as 神 in two code
    // points, may have different glyphs.
    package static func == (one: Card, other: Card) -> Bool { one.content("") == other.content("") }

    package func hash(into hasher: inout Hasher) { hasher.combine(content("")) }

    /// Returns a hash that changes with the picture, for its URL. It is FNV-1a, which takes a tenth of the
    /// time of SHA-256.
    package func version(in style: CardStyle) -> String {
        let hash = content(in: style).reduce(0xCBF2_9CE4_8422_2325 as UInt64) { hash, byte in
            (hash ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        return String(hash, radix: 36)
    }
}

extension String {
    /// Returns the text for a picture: one paragraph, at most `limit` characters, no controls, nothing that
    /// no font can show, and not more than three marks on a letter.
    package func drawable(limit: Int = 200) -> String {
        var scalars = String.UnicodeScalarView()
        for character in prefix(limit) {
            if character.isWhitespace {
                scalars.append(" ")
                continue
            }
            var marks = 0
            for scalar in character.unicodeScalars {
                if scalar.isMark { marks += 1 }
                if scalar.isDrawable, marks <= 3 { scalars.append(scalar) }
            }
        }
        return String(scalars)
    }
}

extension Unicode.Scalar {
    fileprivate var isMark: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark: !properties.isVariationSelector
        default: false
        }
    }

    fileprivate var isDrawable: Bool {
        switch properties.generalCategory {
        // U+202A to U+202E and U+2066 to U+2069 would turn the text that follows. A joiner belongs to its
        // letters.
        case .format: value == 0x200C || value == 0x200D || (0xE0020...0xE007F).contains(value)
        case .control, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }
}
