import HTTPTypes
package import Hummingbird
import NIOCore
import Web

/// A picture as the answer to a call.
package struct ChartResponse: ResponseGenerator {
    let picture: ChartPicture

    package init(_ picture: ChartPicture) { self.picture = picture }

    package func response(from request: Request, context: some RequestContext) -> Response {
        Response(
            status: .ok,
            headers: [
                .contentType: "image/svg+xml", .contentLanguage: picture.words.tag,
                .vary: Languages.vary, .cacheControl: "no-store",
                .contentSecurityPolicy: "default-src 'none'; style-src 'unsafe-inline'",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(string: picture.svg)))
    }
}
