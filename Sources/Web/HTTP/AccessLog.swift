import Foundation
import HTTPTypes
package import Hummingbird

/// `KITH_ACCESS_LOG=json`: a line for each answer. It has the route's template and no part of the URL, so neither uids, names,
/// codes nor values of queries.
package struct AccessLog: Sendable {
    /// Takes a line with its line break.
    let write: @Sendable (String) -> Void

    package init(write: @escaping @Sendable (String) -> Void) {
        self.write = write
    }

    /// An answered request; `request` is nil if it could not be read, `bytes` if the body is sent part by part.
    package func note(_ id: String, _ request: AnsweredRequest?, status: Int, bytes: Int?) {
        var fields: [String] = []
        if let bytes { fields.append(#""bytes":\#(bytes)"#) }
        if let request { fields.append(#""credentials":"\#(request.credentials)""#) }
        fields.append(#""level":"info","message":"answered""#)
        if let request {
            fields.append(
                #""method":"\#(request.method)","milliseconds":\#(Self.milliseconds(request.duration))"#)
        }
        fields.append(#""requestId":"\#(id)""#)
        if let request { fields.append(#""route":"\#(request.route)""#) }
        fields.append(#""status":\#(status),"time":"\#(JSON.timestamp(Date()))""#)
        write("{\(fields.joined(separator: ","))}\n")
    }

    package struct AnsweredRequest {
        var method: String
        var route: String
        var credentials: Credentials
        var duration: Duration
    }

    /// What the caller sent, whether it is valid or not; `other` if it is no bearer token.
    enum Credentials: String {
        case none, token, key, other
    }

    /// With three digits behind the point.
    private static func milliseconds(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let micro = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
        let rest = String(micro % 1000)
        return "\(micro / 1000).\(String(repeating: "0", count: 3 - rest.count))\(rest)"
    }
}

/// Logs each answer of the routes.
package struct AccessLogMiddleware<Context: RoutedContext>: RouterMiddleware {
    package let log: AccessLog
    package let routes: RouteTable

    package init(log: AccessLog, routes: RouteTable) {
        self.log = log
        self.routes = routes
    }

    package func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        let response = try await next(request, context)
        let known = AccessLog.AnsweredRequest(
            method: request.method.rawValue, route: routes.path(of: request, response, context),
            credentials: credentials(request.headers[.authorization]), duration: start.duration(to: .now))
        log.note(context.id, known, status: response.status.code, bytes: response.body.contentLength)
        return response
    }

    private func credentials(_ header: String?) -> AccessLog.Credentials {
        guard let header else { return .none }
        guard header.prefix(7).lowercased() == "bearer " else { return .other }
        return header.dropFirst(7).drop { $0 == " " }.hasPrefix("kith_") ? .key : .token
    }
}
