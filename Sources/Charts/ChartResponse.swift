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

/// In which form a caller would rather have numbers: by `format` of the query, or else by `Accept`.
package enum ChartForm: String, CaseIterable, Sendable {
    case json = "application/json"
    case picture = "image/svg+xml"
    case table = "text/csv"

    /// The parameters of all calls that return numbers.
    package static let parameters = ["format", "width"]

    /// Its name in a query.
    private var name: String {
        switch self {
        case .json: "json"
        case .picture: "svg"
        case .table: "csv"
        }
    }

    private init(_ request: Request) throws(Problem) {
        if let name = try request.query.value("format") {
            guard let form = Self.allCases.first(where: { $0.name == name }) else {
                throw .invalid("format", "must be json, csv or svg")
            }
            self = form
        } else {
            let accepted = HeaderList(request.headers, .accept)
            // Of those that are as welcome the first one stays.
            self = Self.allCases.reduce(.json) { best, form in
                accepted.quality(of: form.rawValue) > accepted.quality(of: best.rawValue) ? form : best
            }
        }
    }

    /// Returns numbers in that form. Pictures speak the language of `Accept-Language`.
    package static func response<Value: Encodable>(
        to request: Request, _ context: some RequestContext, json: @autoclosure () -> Value,
        table: @autoclosure () -> CSV, picture: (ChartWords) -> ChartPicture
    ) throws -> Response {
        switch try Self(request) {
        case .json: return JSON.response(try JSON.data(json()))
        case .table: return CSVResponse(table()).response(from: request, context: context)
        case .picture:
            let words = ChartWords.chosen(acceptLanguage: request.headers[.acceptLanguage])
            return ChartResponse(picture(words)).response(from: request, context: context)
        }
    }
}
