import Graph
import HTTPTypes
package import Hummingbird
package import Kernel
import NIOCore
import Web

/// The route `/v1/admin/explain`, for operators.
package struct ExplanationRoutes {
    package let explaining: LinkExplainer

    package init(explaining: LinkExplainer) {
        self.explaining = explaining
    }

    /// `GET /v1/admin/explain?url=`, `?code=` or `?username=…&invitedBy=…` explains why a link leads where it
    /// leads, as JSON, or as text for `Accept: text/plain`. It changes nothing and counts no visit.
    @Sendable package func explain(_ request: Request, context: AdminContext) async throws -> Response {
        let explanation = try await explanation(request.query)
        guard HeaderList(request.headers, .accept).accepts("text/plain") else {
            return JSON.response(try JSON.data(explanation))
        }
        return Response(
            status: .ok,
            headers: [.contentType: "text/plain; charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: explanation.text.visibleLines)))
    }

    private func explanation(_ query: Query) async throws -> Explanation {
        let uid = try query.value("invitedBy")
        switch (try query.value("url"), try query.value("code"), try query.value("username")) {
        case (let url?, nil, nil) where uid == nil:
            return try await Self.found(explaining.explain(url), "url")
        case (nil, let code?, nil) where uid == nil:
            guard let code = Invite.Code(code) else {
                throw Problem.invalid("code", "must have 16 letters and digits")
            }
            return try await Self.found(explaining.explain(code), "code")
        case (nil, nil, let name?):
            let name = try Username.Key.pasted(name)
            let inviter = try uid.map { text in try User.UID.checked(text, "invitedBy") }
            return try await Self.found(explaining.explain(name, invitedBy: inviter), "username")
        default:
            throw Problem.invalid(
                "url", "must be given, or else `code`, or `username` and, if the link has one, `invitedBy`")
        }
    }

    private static func found(_ explanation: Explanation?, _ field: String) throws(Problem) -> Explanation {
        guard let explanation else { throw .invalid(field, "is no link of this server") }
        return explanation
    }
}
