import Web

/// The icon of the operator's app: a square PNG, served as it is and drawn on cards.
package struct AppIcon: Hashable, Sendable {
    /// The width that iOS wants for an icon on the home screen.
    static let leastWidth = 180
    static let mostWidth = 2048
    package static let mostBytes = 1 << 20
    /// The beginning of a text that is the icon itself, in Base64.
    package static let dataURLPrefix = "data:image/png;base64,"

    package let bytes: [UInt8]
    /// Pixels along one side.
    let width: Int
    /// The ETag.
    package let tag: String
    /// A small version, for cards and QR codes.
    package let picture: Bitmap

    package init(png bytes: [UInt8]) throws(AppIconError) {
        guard bytes.count <= Self.mostBytes else { throw .tooLarge }
        guard let size = Bitmap.size(png: bytes) else { throw .unreadable }
        guard size.width == size.height, (Self.leastWidth...Self.mostWidth).contains(size.width)
        else { throw .size(width: size.width, height: size.height) }
        guard let picture = Bitmap(png: bytes, maxPixels: size.width * size.height) else { throw .unreadable }
        self.bytes = bytes
        width = picture.width
        tag = ETag.of(bytes)
        self.picture = picture.halved(above: Self.leastWidth)
    }

    /// Returns the icon on white with round corners, with `side` pixels along each side.
    package func drawn(side: Int) -> Bitmap {
        let canvas = Canvas(width: side, height: side)
        let side = Double(side)
        canvas.fill(.all, .colour(.white))
        canvas.fill(
            .square(x: 0, y: 0, side: side, radius: side * 0.23), picture, x: 0, y: 0, width: side,
            height: side)
        return canvas.bitmap
    }

    package static func == (one: AppIcon, other: AppIcon) -> Bool { one.tag == other.tag }

    package func hash(into hasher: inout Hasher) { hasher.combine(tag) }
}

package enum AppIconError: Error, Equatable, CustomStringConvertible {
    case tooLarge
    case unreadable
    case size(width: Int, height: Int)

    package var description: String {
        switch self {
        case .tooLarge: "has more than 1 MiB"
        case .unreadable: "is not a PNG that can be read"
        case .size(let width, let height):
            """
            has \(width) × \(height) pixels: it must be a square of \(AppIcon.leastWidth) to \
            \(AppIcon.mostWidth) pixels a side
            """
        }
    }
}
