import CQREncode
package import Pictures

/// The QR symbol of a link, with a quiet zone of four modules. A text in capitals takes fewer modules, since
/// it has a mode of its own (ISO/IEC 18004 §7.3.4).
///
/// The same text, level and icon always give the same bytes, so a hash of them serves as an ETag.
package struct QRCode: Hashable, Sendable {
    /// Light modules on each side, as ISO/IEC 18004 requires.
    static let quietZone = 4

    /// How much of the symbol may be covered or dirty: 7, 15, 25 or 30 %.
    package enum Level: String, CaseIterable, Sendable {
        case L, M, Q, H

        /// The levels that are taken if nobody names one.
        package static let (standard, withLogo): (Level, Level) = (.M, .H)

        fileprivate var ofLibrary: QRecLevel {
            switch self {
            case .L: QR_ECLEVEL_L
            case .M: QR_ECLEVEL_M
            case .Q: QR_ECLEVEL_Q
            case .H: QR_ECLEVEL_H
            }
        }
    }

    /// Modules along one side, without the quiet zone.
    let width: Int
    /// The icon in the middle. Nil if there is none.
    let icon: AppIcon?
    private let modules: [Bool]

    /// - Parameters:
    ///   - level: the error correction. If no symbol of this level holds the text, the highest level that
    ///     does is taken. `L` holds the longest possible link.
    ///   - icon: the app's icon, which needs `Q` or `H`. The largest symbol is readable with one at every
    ///     level.
    package init(_ text: String, level: Level = .standard, icon: AppIcon? = nil) throws(QRCodeError) {
        guard !text.isEmpty else { throw .empty }
        let levels = Level.allCases.reversed().drop { $0 != level }
        // With version 0 the library takes the smallest symbol that holds the text, and the best modes for
        // its parts.
        let codes = levels.lazy.compactMap { QRcode_encodeString(text, 0, $0.ofLibrary, QR_MODE_8, 1) }
        guard let code = codes.first else { throw .tooLong(bytes: text.utf8.count) }
        defer { QRcode_free(code) }
        width = Int(code.pointee.width)
        self.icon = icon
        // The lowest bit of a module is its colour; the others are its function.
        var modules = UnsafeBufferPointer(start: code.pointee.data, count: width * width).map { $0 & 1 == 1 }
        if icon != nil {
            let clearing = Self.clearing(in: width)
            for row in clearing {
                for column in clearing { modules[row * width + column] = false }
            }
        }
        self.modules = modules
    }

    func isDark(row: Int, column: Int) -> Bool {
        modules[row * width + column]
    }
}

package enum QRCodeError: Error, Equatable {
    case empty
    case tooLong(bytes: Int)
    case encoderFailed
}

extension QRCode {
    /// Draws one path on a white ground, one unit a module, and the icon.
    /// - Parameters:
    ///   - ink: the colour of the dark modules, `0xRRGGBB`.
    ///   - size: how wide it is, in pixels. Nil: as wide as its place.
    package func svg(in ink: UInt32 = 0, size: Int? = nil) throws(QRCodeError) -> String {
        let side = width + 2 * Self.quietZone
        let image = try icon.map(image) ?? ""
        let size = size.map { "width=\"\($0)\" height=\"\($0)\" " } ?? ""
        return """
            <svg xmlns="http://www.w3.org/2000/svg" \(size)viewBox="0 0 \(side) \(side)" role="img" \
            shape-rendering="crispEdges"><path fill="#fff" d="M0 0h\(side)v\(side)H0z"/>\
            <path fill="\(Self.css(ink))" d="\(path)"/>\(image)</svg>
            """
    }

    private static func css(_ ink: UInt32) -> String {
        let digits = String(ink, radix: 16)
        return ink == 0 ? "#000" : "#" + String(repeating: "0", count: 6 - digits.count) + digits
    }

    /// The path of the dark modules. Each run of them in a row is one rectangle.
    private var path: String {
        var path = ""
        for row in 0..<width {
            var column = 0
            while column < width {
                let start = column
                while column < width, isDark(row: row, column: column) { column += 1 }
                let run = column - start
                if run > 0 { path += "M\(start + Self.quietZone) \(row + Self.quietZone)h\(run)v1h-\(run)z" }
                column += 1
            }
        }
        return path
    }
}

extension QRCode {
    /// Pixels along one side of the image for link previews. The number is the same for every symbol, so that
    /// a page can state it without encoding one.
    static let previewSide = 640

    /// Returns an 8-bit PNG of `side` pixels, grey or, with an icon or another ink than black, in colour. A
    /// module has whole pixels, and the rest is added to the quiet zone.
    ///
    /// A side that is too small for the symbol grows to one pixel a module.
    func png(side: Int, in ink: UInt32 = 0) throws(QRCodeError) -> [UInt8] {
        let least = width + 2 * Self.quietZone
        let side = max(side, least)
        let scale = side / least
        let origin = (side - width * scale) / 2
        var pixels = [UInt8](repeating: 255, count: side * side)
        for row in 0..<width {
            for column in 0..<width where isDark(row: row, column: column) {
                for y in 0..<scale {
                    let start = (origin + row * scale + y) * side + origin + column * scale
                    for pixel in start..<start + scale { pixels[pixel] = 0 }
                }
            }
        }
        let png =
            if icon == nil, ink == 0 {
                Bitmap.png(greys: pixels, side: side)
            } else {
                picture(in: ink, on: pixels, side: side, origin: origin, scale: scale).png()
            }
        guard let png else { throw .encoderFailed }
        return png
    }
}
