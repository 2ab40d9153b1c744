import Crypto
import Foundation

/// A picture of a link, before it is drawn.
struct QRPicture: Hashable, Sendable {
    let link: String
    let format: Format

    enum Format: String, Sendable {
        case svg, png

        var mediaType: String { self == .svg ? "image/svg+xml" : "image/png" }
    }

    /// Goes up when the same link is drawn differently.
    private static let version = 1

    /// The ETag, from the link and how it is drawn: a client that has the picture gets a 304 without drawing it.
    var tag: String {
        let text = "\(Self.version) \(format.rawValue) \(link)"
        return "\"\(Data(SHA256.hash(data: Array(text.utf8)).prefix(12)).base64URL)\""
    }

    func draw() throws(QRCodeError) -> [UInt8] {
        let symbol = try QRCode(link)
        return try format == .svg ? Array(symbol.svg().utf8) : symbol.png(side: QRCode.previewSide)
    }
}
