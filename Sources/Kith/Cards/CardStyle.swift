import Foundation

/// How the operator wants cards to look.
struct CardStyle: Sendable {
    let icon: Bitmap?
    /// Instead of those of the user's tint.
    let colours: Colours?
    /// Instead of colours.
    let background: Bitmap?
    /// Differs from that of another style.
    let tag: String

    init(icon: Bitmap? = nil, colours: Colours? = nil, background: Bitmap? = nil) {
        (self.icon, self.colours, self.background) = (icon, colours, background)
        let pictures = [icon, background].map { $0.map { ETag.hash($0.pixels) } ?? "" }
        tag = ETag.hash("\(pictures) \(colours.map { "\($0)" } ?? "")".utf8)
    }

    struct Colours: Hashable, Sendable {
        let start: Colour
        let end: Colour

        init(_ start: UInt32, _ end: UInt32) {
            (self.start, self.end) = (Colour(start), Colour(end))
        }

        /// The colours of the pages; white text stands out from them.
        static let tints = [
            Colours(0x5B54D6, 0x9A45C4), Colours(0x0A6D86, 0x0F8A70), Colours(0xC92563, 0xD9541E),
            Colours(0x1D6FD0, 0x5B54D6), Colours(0x217A3C, 0x0A7B86), Colours(0xB34A0A, 0xBD2A5C),
        ]
    }

    func colours(tint: Int) -> Colours { colours ?? Colours.tints[tint % Colours.tints.count] }
}

/// A colour in sRGB, each part from 0 to 1.
struct Colour: Hashable, Sendable {
    static let white = Colour(0xFFFFFF)
    static let dark = Colour(0x18171D)

    var red: Double
    var green: Double
    var blue: Double

    /// - Parameter rgb: as CSS writes it, `0xRRGGBB`.
    init(_ rgb: UInt32) {
        red = Double(rgb >> 16 & 255) / 255
        green = Double(rgb >> 8 & 255) / 255
        blue = Double(rgb & 255) / 255
    }

    /// Relative luminance, as WCAG 2 defines it.
    var luminance: Double {
        func linear(_ part: Double) -> Double {
            part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }

    /// White or dark, whichever stands out from a ground of this luminance; white if both do.
    static func ink(on luminance: Double) -> Colour {
        // There white has a contrast of 3, which is enough for large text.
        luminance <= 0.3 ? .white : .dark
    }
}
