import Crypto
import HTTPTypes
import Hummingbird
import NIOCore
import Web

/// A file that the pages load. Its path has a hash of its content, so browsers keep it for good.
struct Asset: Sendable {
    let path: String
    private let mediaType: String
    private let bytes: [UInt8]

    private init(_ name: String, _ mediaType: String, _ bytes: [UInt8]) {
        let hash = Base64URL.encode(Array(SHA256.hash(data: bytes).prefix(9)))
        path = "/assets/\(hash)/\(name)"
        (self.mediaType, self.bytes) = (mediaType, bytes)
    }

    static let style = Asset("console.css", "text/css; charset=utf-8", PackageResources.console_css)
    static let script = Asset("console.js", "text/javascript; charset=utf-8", PackageResources.console_js)
    static let all = [style, script]

    func response(to request: Request) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: mediaType, .cacheControl: "public, max-age=31536000, immutable"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
