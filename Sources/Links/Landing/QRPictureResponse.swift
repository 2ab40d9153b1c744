import HTTPTypes
import Hummingbird
import NIOCore
import Pictures
import Web

/// How a request wants the QR picture of a link, and the answer to it.
struct QRPictureResponse: Sendable {
    private let format: QRPicture.Format
    private let level: QRCode.Level
    private let logo: AppIcon?
    private let ink: UInt32
    private let size: Int?

    /// Reads the request. A logo takes `H` if the request names no level. With `L` or `M` a camera would not
    /// read the small symbols.
    /// - Parameter icon: the app's icon, for `logo=app`.
    init(_ format: QRPicture.Format, _ query: Query, icon: AppIcon?) throws(Problem) {
        let level = try query.level
        (self.format, ink, size) = (format, try query.ink, try query.size)
        guard try query.hasLogo else {
            (self.level, logo) = (level ?? .standard, nil)
            return
        }
        guard let icon else {
            throw .invalid("logo", "cannot be drawn: the app has no icon (`KITH_APP_ICON`)")
        }
        guard level != .L, level != .M else { throw .invalid("level", "must be Q or H with a logo") }
        (self.level, logo) = (level ?? .withLogo, icon)
    }

    /// Returns the answer. Clients may keep the picture, but must revalidate it each time, since a rename or
    /// a revocation changes it.
    func response(
        to request: Request, showing link: String, from pictures: PictureCache<QRPicture>,
        for address: ClientAddress?
    ) async throws -> Response {
        let picture = QRPicture(
            link: ScannedLink.marked(link), format: format, level: level, logo: logo, ink: ink, size: size)
        let headers: HTTPFields = [
            .contentType: format.mediaType, .eTag: picture.tag, .cacheControl: "private, no-cache",
            .referrerPolicy: "no-referrer",
            .robotsTag: "noindex",
            .contentSecurityPolicy: "default-src 'none'; style-src 'unsafe-inline'; img-src data:",
        ]
        if request.has(picture.tag) { return Response(status: .notModified, headers: headers) }
        let bytes = try await pictures.bytes(of: picture, for: address) { try $0.draw() }
        return Response(
            status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}

extension Query {
    /// The query's `level`, the error correction: `L`, `M`, `Q` or `H`.
    fileprivate var level: QRCode.Level? {
        get throws(Problem) {
            guard let text = try value("level") else { return nil }
            guard let level = QRCode.Level(rawValue: text) else {
                throw .invalid("level", "must be L, M, Q or H")
            }
            return level
        }
    }

    /// The query's `color`, which must be dark enough on white for a camera: a contrast of 4.5, as WCAG 2
    /// measures it. Black if there is none.
    fileprivate var ink: UInt32 {
        get throws(Problem) {
            guard let text = try value("color") else { return 0 }
            guard text.wholeMatch(of: /#?[0-9A-Fa-f]{6}/) != nil, let ink = UInt32(text.suffix(6), radix: 16)
            else { throw .invalid("color", "must be six hexadecimal digits, as in 5b54d6") }
            guard 1.05 / (Colour(ink).luminance + 0.05) >= 4.5 else {
                throw .invalid("color", "must be darker: cameras do not read it on white")
            }
            return ink
        }
    }

    /// The query's `size`, in pixels. Nil for the usual one.
    fileprivate var size: Int? {
        get throws(Problem) {
            guard let text = try value("size") else { return nil }
            guard let size = Int(text), (64...1024).contains(size) else {
                throw .invalid("size", "must be from 64 to 1024")
            }
            return size
        }
    }

    /// Whether the query has `logo`, which can only be `app`.
    fileprivate var hasLogo: Bool {
        get throws(Problem) {
            switch try value("logo") {
            case nil: false
            case "app": true
            default: throw .invalid("logo", "must be app")
            }
        }
    }
}
