import Foundation
import Web

/// How the operator wants cards to look.
package struct CardStyle: Sendable {
    let icon: Bitmap?
    /// Colours in place of those of the user's tint.
    let colours: Colours?
    /// A picture in place of colours.
    let background: Bitmap?
    /// A tag that differs from those of other styles.
    let tag: String

    init(icon: Bitmap? = nil, colours: Colours? = nil, background: Bitmap? = nil) {
        (self.icon, self.colours, self.background) = (icon, colours, background)
        let pictures = [icon, background].map { $0.map { ETag.hash($0.pixels) } ?? "" }
        tag = ETag.hash("\(pictures) \(colours.map { "\($0)" } ?? "")".utf8)
    }

    package struct Colours: Hashable, Sendable {
        let start: Colour
        let end: Colour

        init(_ start: UInt32, _ end: UInt32) {
            (self.start, self.end) = (Colour(start), Colour(end))
        }

        /// The colours of the pages. White text stands out from them.
        static let tints = [
            Colours(0x5B54D6, 0x9A45C4), Colours(0x0A6D86, 0x0F8A70), Colours(0xC92563, 0xD9541E),
            Colours(0x1D6FD0, 0x5B54D6), Colours(0x217A3C, 0x0A7B86), Colours(0xB34A0A, 0xBD2A5C),
        ]
    }

    func colours(tint: Int) -> Colours { colours ?? Colours.tints[tint % Colours.tints.count] }
}

extension CardStyle {
    static let mostBackgroundBytes = 8 << 20

    /// Reads the background from its file.
    package init(_ config: CardConfig, icon: Bitmap?) throws(CardStyleError) {
        self.init(
            icon: icon, colours: config.colours, background: try config.background.map(Self.background))
    }

    private static func background(_ file: String) throws(CardStyleError) -> Bitmap {
        // A byte more than allowed is enough to refuse it.
        guard let handle = FileHandle(forReadingAtPath: file),
            let bytes = try? handle.read(upToCount: mostBackgroundBytes + 1)
        else { throw .unreadable(file: file) }
        guard bytes.count <= mostBackgroundBytes,
            let picture = Bitmap(Array(bytes), maxPixels: Card.width * Card.height),
            picture.width == Card.width, picture.height == Card.height
        else { throw .notABackground(file: file) }
        return picture
    }
}

package enum CardStyleError: Error, Equatable, CustomStringConvertible {
    case unreadable(file: String)
    case notABackground(file: String)

    package var description: String {
        switch self {
        case .unreadable(let file): "KITH_CARD_BACKGROUND: cannot read '\(file)'"
        case .notABackground(let file):
            """
            KITH_CARD_BACKGROUND: '\(file)' is not allowed: it must be a PNG or JPEG of \(Card.width) × \(Card.height) \
            pixels and at most 8 MiB
            """
        }
    }
}

extension CardStyle.Colours {
    /// Reads two colours as CSS writes them, separated by a comma: `#5b54d6,#9a45c4`.
    package init?(_ text: String) {
        let colours = text.split(separator: ",", omittingEmptySubsequences: false).map { part -> UInt32? in
            let part = part.trimmingCharacters(in: .whitespaces)
            return part.wholeMatch(of: /#[0-9A-Fa-f]{6}/) == nil ? nil : UInt32(part.dropFirst(), radix: 16)
        }
        guard colours.count == 2, let start = colours[0], let end = colours[1] else { return nil }
        self.init(start, end)
    }
}

/// A colour in sRGB, each part from 0 to 1.
package struct Colour: Hashable, Sendable {
    static let white = Colour(0xFFFFFF)
    static let dark = Colour(0x18171D)

    var red: Double
    var green: Double
    var blue: Double

    /// - Parameter rgb: the colour as CSS writes it, `0xRRGGBB`.
    package init(_ rgb: UInt32) {
        red = Double(rgb >> 16 & 255) / 255
        green = Double(rgb >> 8 & 255) / 255
        blue = Double(rgb & 255) / 255
    }

    /// The relative luminance, as WCAG 2 defines it.
    package var luminance: Double {
        func linear(_ part: Double) -> Double {
            part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }

    /// Returns white or dark, whichever stands out from a ground of this luminance. White if both do.
    static func ink(on luminance: Double) -> Colour {
        // At this luminance white has a contrast of 3, which is enough for large text.
        luminance <= 0.3 ? .white : .dark
    }
}
