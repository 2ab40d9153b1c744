import Foundation
import HTTPTypes
package import Hummingbird
import Web

/// Finds the key of clients that cannot send `Authorization: Bearer`. From then on it is a key like any
/// other.
package struct KeyPlaceMiddleware: RouterMiddleware {

    package init() {}

    package func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        switch context.route?.keyPlace {
        case nil, .bearer: return try await next(request, context)
        case .query: return try await next(request.withKey(request.queryKey), context)
        case .password:
            var response = try await next(request.withKey(request.passwordKey), context)
            if response.status == .unauthorized {
                response.headers[.wwwAuthenticate] = #"Basic realm="Kith", charset="UTF-8""#
            }
            return response
        }
    }
}

extension Request {
    fileprivate func withKey(_ key: String?) -> Request {
        guard let key else { return self }
        var head = head
        head.headerFields[.authorization] = "Bearer \(key)"
        return Request(head: head, body: body)
    }

    /// The key in `?key=`. Nil if there is an `Authorization`, which then counts.
    fileprivate var queryKey: String? {
        guard headers[.authorization] == nil, let key = (try? query.value("key")) ?? nil, key.isAPIKey else {
            return nil
        }
        return key
    }

    /// The key that is the password of HTTP Basic (RFC 7617), with any user name. Nil for anything else.
    fileprivate var passwordKey: String? {
        guard let header = (try? header(.authorization)) ?? nil, header.prefix(6).lowercased() == "basic ",
            let bytes = Data(base64Encoded: String(header.dropFirst(6).drop { $0 == " " })),
            let pair = String(validating: bytes, as: UTF8.self), let colon = pair.firstIndex(of: ":")
        else { return nil }
        let password = String(pair[pair.index(after: colon)...])
        return password.isAPIKey ? password : nil
    }
}

extension String {
    fileprivate var isAPIKey: Bool { hasPrefix(APIKey.prefix) && utf8.allSatisfy(\.isVisibleASCII) }
}
