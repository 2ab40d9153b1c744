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

/// In which form a caller would rather have numbers, by `Accept`.
package enum ChartForm: String, CaseIterable, Sendable {
    case json = "application/json"
    case picture = "image/svg+xml"
    case table = "text/csv"

    private init(_ request: Request) {
        let wanted = HeaderList(request.headers, .accept)
        self = Self.allCases.first { wanted.accepts($0.rawValue) } ?? .json
    }

    /// Returns numbers in that form. Pictures speak the language of `Accept-Language`.
    package static func response<Value: Encodable>(
        to request: Request, _ context: some RequestContext, json: @autoclosure () -> Value,
        table: @autoclosure () -> CSV, picture: (ChartWords) -> ChartPicture
    ) throws -> Response {
        switch Self(request) {
        case .json: return JSON.response(try JSON.data(json()))
        case .table: return CSVResponse(table()).response(from: request, context: context)
        case .picture:
            let words = ChartWords.chosen(acceptLanguage: request.headers[.acceptLanguage])
            return ChartResponse(picture(words)).response(from: request, context: context)
        }
    }
}
