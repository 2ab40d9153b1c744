import HTTPTypes
package import Hummingbird
import NIOCore
package import Web

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

package extension ChartWords {
    /// The parameter that asks for a language.
    static let parameter = "hl"

    /// Returns the words that a caller asks for: by `hl`, or else by `Accept-Language`.
    static func asked(by request: Request) throws(Problem) -> ChartWords {
        let wish = try request.query.value(parameter)
        guard ["en", "ja", nil].contains(wish) else { throw .invalid(parameter, "must be en or ja") }
        return chosen(wish, acceptLanguage: request.headers[.acceptLanguage])
    }
}

/// In which form a caller would rather have numbers: by `format` of the query, or else by `Accept`.
package enum ChartForm: String, CaseIterable, Sendable {
    case json = "application/json"
    case picture = "image/svg+xml"
    case table = "text/csv"

    /// The parameters of all calls that return numbers.
    package static let parameters = ["format", "width", ChartWords.parameter]

    /// Its name in a query.
    private var name: String {
        switch self {
        case .json: "json"
        case .picture: "svg"
        case .table: "csv"
        }
    }

    /// - Parameter forms: those that there are of the answer.
    private init(_ request: Request, among forms: [Self], _ list: String) throws(Problem) {
        if let name = try request.query.value("format") {
            guard let form = forms.first(where: { $0.name == name }) else {
                throw .invalid("format", "must be \(list)")
            }
            self = form
        } else {
            let accepted = HeaderList(request.headers, .accept)
            // Of those that are as welcome the first one stays.
            self = forms.reduce(.json) { best, form in
                accepted.quality(of: form.rawValue) > accepted.quality(of: best.rawValue) ? form : best
            }
        }
    }

    /// Returns numbers in that form. Pictures speak the language that the caller asks for.
    package static func response<Value: Encodable>(
        to request: Request, _ context: some RequestContext, json: @autoclosure () -> Value,
        table: @autoclosure () -> CSV, picture: (ChartWords) -> ChartPicture
    ) throws -> Response {
        let words = try ChartWords.asked(by: request)
        switch try Self(request, among: allCases, "json, csv or svg") {
        case .json: return JSON.response(try JSON.data(json()))
        case .table: return CSVResponse(table()).response(from: request, context: context)
        case .picture:
            return ChartResponse(picture(words)).response(from: request, context: context)
        }
    }

    /// Whether the caller of what has no picture would rather have a table than JSON.
    package static func wantsTable(_ request: Request) throws -> Bool {
        try Self(request, among: [.json, .table], "json or csv") == .table
    }

    /// Returns what has no picture: as JSON, or as a table.
    package static func response<Value: Encodable>(
        to request: Request, _ context: some RequestContext, json: @autoclosure () -> Value,
        table: @autoclosure () -> CSV
    ) throws -> Response {
        guard try wantsTable(request) else { return JSON.response(try JSON.data(json())) }
        return CSVResponse(table()).response(from: request, context: context)
    }
}
