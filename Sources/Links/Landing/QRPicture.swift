import Pictures
import Web

/// A picture of a link, before it is drawn.
package struct QRPicture: Hashable, Sendable {
    let link: String
    let format: Format
    var level = QRCode.Level.standard
    /// The app's icon in the middle. Nil for none.
    var logo: AppIcon?
    /// The colour of the dark modules, `0xRRGGBB`.
    var ink: UInt32 = 0
    /// How wide it is, in pixels. Nil for the usual width.
    var size: Int?

    enum Format: String, Sendable {
        case svg, png

        var mediaType: String { self == .svg ? "image/svg+xml" : "image/png" }
    }

    /// A number that grows when the same link is drawn differently.
    private static let version = 2

    /// The ETag, made from the link and how it is drawn. A client that has the picture gets a 304 without
    /// drawing it.
    var tag: String {
        let look = ink == 0 && size == nil ? "" : "\(ink) \(size ?? 0) "
        return ETag.of(
            "\(Self.version) \(format.rawValue) \(level.rawValue) \(logo?.tag ?? "")\(look)\(link)".utf8)
    }

    func draw() throws(QRCodeError) -> [UInt8] {
        let symbol = try QRCode(link, level: level, icon: logo)
        return try format == .svg
            ? Array(symbol.svg(in: ink, size: size).utf8)
            : symbol.png(side: size ?? QRCode.previewSide, in: ink)
    }
}
