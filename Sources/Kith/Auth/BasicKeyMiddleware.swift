import Foundation
import HTTPTypes
import Hummingbird

/// Takes the key of a call of an operator's page from HTTP Basic (RFC 7617), which browsers ask people for: any user name, and
/// the key as password. From here on it is a key like any other.
struct BasicKeyMiddleware: RouterMiddleware {
    func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        guard context.isForOperators else { return try await next(request, context) }
        var head = request.head
        if let key = request.passwordKey { head.headerFields[.authorization] = "Bearer \(key)" }
        var response = try await next(Request(head: head, body: request.body), context)
        if response.status == .unauthorized {
            response.headers[.wwwAuthenticate] = #"Basic realm="Kith", charset="UTF-8""#
        }
        return response
    }
}

extension RequestContext {
    /// Whether the call is of a page or picture for operators, which needs a key.
    var isForOperators: Bool { ["/links/**", "/v1/admin/client-versions.svg"].contains(endpointPath ?? "") }
}

extension Request {
    /// The key that stands as password in `Authorization: Basic`; nil for anything else.
    fileprivate var passwordKey: String? {
        guard let header = (try? header(.authorization)) ?? nil, header.prefix(6).lowercased() == "basic ",
            let bytes = Data(base64Encoded: String(header.dropFirst(6).drop { $0 == " " })),
            let pair = String(validating: bytes, as: UTF8.self), let colon = pair.firstIndex(of: ":")
        else { return nil }
        let password = pair[pair.index(after: colon)...]
        guard password.hasPrefix(APIKey.prefix), password.utf8.allSatisfy(\.isVisibleASCII) else {
            return nil
        }
        return String(password)
    }
}
