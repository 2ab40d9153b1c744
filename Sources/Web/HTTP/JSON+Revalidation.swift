import HTTPTypes
package import Hummingbird

/// Answers that a client keeps and asks for again with `If-None-Match`.
extension JSON {
    /// Returns the value, or a 304 if the client has it.
    /// - Parameter content: what the tag is made from, if the value itself is never the same twice.
    package static func revalidated(
        _ value: some Encodable, as content: (any Encodable)? = nil, for request: Request,
        cacheControl: String = "private, no-cache"
    ) throws -> Response {
        let text = try data(value)
        let tag = ETag.of(try content.map { try data($0) } ?? text)
        var response = request.has(tag) ? Response(status: .notModified) : response(text)
        response.headers[.eTag] = tag
        response.headers[.cacheControl] = cacheControl
        return response
    }
}
