import Foundation
package import HTTPTypes
package import Hummingbird
import NIOCore

/// An error that clients may be told, wherever it is thrown.
package protocol ProblemError: Error {
    var problem: Problem { get }
}

/// An error for the client as problem+json (RFC 9457), with a stable `code`.
package struct Problem: ProblemError {
    package var problem: Problem { self }

    package var status: HTTPResponse.Status
    package var statusCode: Int { status.code }
    package var code: String
    package var detail: String
    /// The field of the body, path or query that is wrong.
    package var field: String?
    /// After how many seconds the client may retry.
    var retryAfter: Int?
    package var headers: HTTPFields = [:]

    package init(
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
    /// - Parameter reason: what is wrong with the body: `is not valid JSON`.
    package static func malformedBody(_ reason: String) -> Problem {
        Problem(.badRequest, "malformed_body", "The body \(reason).")
    }

    /// - Parameter reason: what is wrong with the field: `must be a number`.
    package static func invalid(_ field: String, _ reason: String) -> Problem {
        Problem(.badRequest, "invalid_field", "`\(field)` \(reason).", field: field)
    }

    package static func notFound(_ code: String = "not_found", _ detail: String = "There is nothing here.")
        -> Problem
    {
        Problem(.notFound, code, detail)
    }

    package static let userNotFound = Problem.notFound("user_not_found", "There is no such user.")

    /// The bearer challenge. RFC 6750 §3: a parameter must follow the scheme, and some clients break without
    /// one.
    private static let bearer = #"Bearer realm="Kith""#

    /// The answer to a caller without credentials. By RFC 6750 §3.1 its header names no error: otherwise an
    /// app without a session would fetch new tokens again and again.
    package static let unauthenticated = Problem(
        .unauthorized, "unauthenticated", "This call needs an ID token or a key as bearer token.",
        headers: [.wwwAuthenticate: bearer])

    /// The answer at the console's host to a caller without a session in force, and without credentials.
    package static let signedOut = Problem(
        .unauthorized, "unauthenticated",
        "Nobody is signed in, or no longer: sign in at the console again, or send a key as bearer token.",
        headers: [.wwwAuthenticate: bearer])

    /// The answer of a page or picture that takes a key as a browser sends it.
    package static func keyNeeded(_ key: String = "key") -> Problem {
        Problem(
            .unauthorized, "unauthenticated",
            "This page needs a \(key), as the password with any user name, or as bearer token.",
            headers: [.wwwAuthenticate: bearer])
    }

    package static let tokenExpired = Problem(
        .unauthorized, "token_expired", "The ID token has expired. Get a new one, and repeat the call.",
        headers: [
            .wwwAuthenticate: #"Bearer error="invalid_token", error_description="The token has expired""#
        ])

    /// The answer to a wrong token or key. It says no more: details would help an attacker who tries out
    /// tokens and keys.
    package static let tokenInvalid = Problem(
        .unauthorized, "token_invalid", "The ID token or key is not valid here.",
        headers: [
            .wwwAuthenticate:
                #"Bearer error="invalid_token", error_description="The token is not valid here""#
        ])

    package static let uriTooLong = Problem(.uriTooLong, "uri_too_long", "The URL may have at most 8 KiB.")

    package static let serviceClosed = Problem(
        .gone, "service_closed",
        "The service has closed, and takes nothing new. Users can still export their data, and delete their account."
    )

    package static let internalError = Problem(
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

    package func response(from request: Request, context: some RequestContext) throws -> Response {
        let (head, body) = try answer(requestID: context.id)
        return Response(status: head.status, headers: head.headerFields, body: ResponseBody(byteBuffer: body))
    }

    package func answer(requestID: String) throws -> (head: HTTPResponse, body: ByteBuffer) {
        let body = Body(
            title: status.reasonPhrase, status: status.code, detail: detail, code: code, field: field,
            requestId: requestID)
        let bytes = ByteBuffer(bytes: try JSON.data(body))
        var fields = headerFields
        fields[.contentType] = "application/problem+json"
        fields[.contentLength] = String(bytes.readableBytes)
        return (HTTPResponse(status: status, headerFields: fields), bytes)
    }

    /// The headers of the response, except those of its content.
    package var headerFields: HTTPFields {
        var fields = headers
        fields[.cacheControl] = "no-store"
        fields[.retryAfter] = retryAfter.map(String.init)
        return fields
    }
}
