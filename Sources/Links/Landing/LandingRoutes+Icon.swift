import HTTPTypes
package import Hummingbird
package import Kernel
import NIOCore
import Pictures
import Web

/// The app's icon.
extension LandingRoutes {
    /// `GET /icon.png`. Answers 404 if the operator gave no icon.
    @Sendable package func showIcon(_ request: Request, context: AppContext) throws -> Response {
        guard let icon = pages.app.icon else { throw Problem.notFound() }
        let headers: HTTPFields = [
            .contentType: "image/png", .eTag: icon.tag, .cacheControl: "public, max-age=86400",
        ]
        if request.has(icon.tag) { return Response(status: .notModified, headers: headers) }
        return Response(
            status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: icon.bytes)))
    }
}
