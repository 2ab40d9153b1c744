import Foundation
import HTTPTypes
public import Hummingbird
import NIOCore

/// An error as RFC 9457 problem+json: what a client is told, with a stable `code`.
public struct Problem: Error, Sendable {
    public var status: HTTPResponse.Status
    var code: String
    var detail: String
    /// The field of the body, the path or the query that is at fault.
    var field: String?
    /// Seconds.
    var retryAfter: Int?
    var headers: HTTPFields = [:]

    init(
        _ status: HTTPResponse.Status, _ code: String, _ detail: String, field: String? = nil,
        retryAfter: Int? = nil, headers: HTTPFields = [:]
    ) {
        self.status = status
        self.code = code
        self.detail = detail
        self.field = field
        self.retryAfter = retryAfter
        self.headers = headers
    }
}

extension Problem {
    static func malformed(_ detail: String, field: String? = nil) -> Problem {
        Problem(.badRequest, field == nil ? "malformed_body" : "invalid_field", detail, field: field)
    }

    static func notFound(_ code: String = "not_found", _ detail: String = "There is nothing here.") -> Problem
    {
        Problem(.notFound, code, detail)
    }

    static let userNotFound = Problem.notFound("user_not_found", "There is no such user.")

    static let unauthenticated = Problem(
        .unauthorized, "unauthenticated", "This call needs a valid ID token or key as bearer token.",
        headers: [.wwwAuthenticate: #"Bearer error="invalid_token""#])

    /// RFC 6750 §3.1: to one who showed no credentials no error is told, or an app without a session would fetch a new
    /// token again and again.
    static let withoutCredentials = Problem(
        .unauthorized, unauthenticated.code, unauthenticated.detail, headers: [.wwwAuthenticate: "Bearer"])

    static let uriTooLong = Problem(.uriTooLong, "uri_too_long", "The URL may have at most 8 KiB.")

    static let unavailable = Problem(
        .serviceUnavailable, "unavailable", "The database cannot be reached just now. Try again.",
        retryAfter: 1)

    static let internalError = Problem(
        .internalServerError, "internal_error", "Something went wrong here. The log has the request id.")
}

extension Problem: HTTPResponseError {
    private struct Body: Encodable {
        let type = "about:blank"
        let title: String
        let status: Int
        let detail: String
        let code: String
        let field: String?
        let requestId: String
    }

    public func response(from request: Request, context: some RequestContext) throws -> Response {
        let (head, body) = try answer(requestID: context.id)
        return Response(status: head.status, headers: head.headerFields, body: ResponseBody(byteBuffer: body))
    }

    func answer(requestID: String) throws -> (head: HTTPResponse, body: ByteBuffer) {
        let body = Body(
            title: status.reasonPhrase, status: status.code, detail: detail, code: code, field: field,
            requestId: requestID)
        let bytes = ByteBuffer(bytes: try JSON.data(body))
        var fields = headerFields
        fields[.contentType] = "application/problem+json"
        fields[.contentLength] = String(bytes.readableBytes)
        return (HTTPResponse(status: status, headerFields: fields), bytes)
    }

    /// What the answer says besides its content.
    var headerFields: HTTPFields {
        var fields = headers
        fields[.cacheControl] = "no-store"
        fields[.retryAfter] = retryAfter.map(String.init)
        return fields
    }
}
