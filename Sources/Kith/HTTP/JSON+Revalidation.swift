import Crypto
import HTTPTypes
import Hummingbird

/// Answers that a client keeps, and asks for again with `If-None-Match`.
extension JSON {
    /// The value, or a 304 if the client has it.
    /// - Parameter content: what the tag is of, if the value itself is never the same twice.
    static func revalidated(
        _ value: some Encodable, as content: (any Encodable)? = nil, for request: Request,
        cacheControl: String = "private, no-cache"
    ) throws -> Response {
        let text = try data(value)
        let digest = SHA256.hash(data: try content.map { try data($0) } ?? text)
        let tag = "\"\(Base64URL.encode(Array(digest.prefix(12))))\""
        var response = response(text)
        if HeaderList(request.headers, .ifNoneMatch).contains([tag, "W/\(tag)", "*"]) {
            response = Response(status: .notModified)
        }
        response.headers[.eTag] = tag
        response.headers[.cacheControl] = cacheControl
        return response
    }
}
