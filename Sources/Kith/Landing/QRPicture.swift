import Crypto
import Foundation

/// The picture of a link that is yet to be drawn.
struct QRPicture: Hashable, Sendable {
    let link: String
    let format: Format

    enum Format: String, Sendable {
        case svg, png

        var mediaType: String { self == .svg ? "image/svg+xml" : "image/png" }
    }

    /// The next number when the same link is drawn in another way.
    private static let version = 1

    /// From what is drawn and how: who has the picture already is told so before it is drawn.
    var tag: String {
        let text = "\(Self.version) \(format.rawValue) \(link)"
        return "\"\(Data(SHA256.hash(data: Array(text.utf8)).prefix(12)).base64URL)\""
    }

    func draw() throws(QRCodeError) -> [UInt8] {
        let symbol = try QRCode(link)
        return try format == .svg ? Array(symbol.svg().utf8) : symbol.png(side: QRCode.previewSide)
    }
}
