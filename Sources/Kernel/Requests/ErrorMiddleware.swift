import HTTPTypes
package import Hummingbird
import Logging
import Postgres
package import Web

/// The only place where errors become responses, and where failures are logged, once.
package struct ErrorMiddleware: RouterMiddleware {
    /// Returns what to answer instead of problem+json, such as a page; nil for nothing else.
    private let form: @Sendable (Problem, Request, AppContext) -> Response?
    private let routes: RouteTable

    package init(form: @escaping @Sendable (Problem, Request, AppContext) -> Response?, routes: RouteTable) {
        self.form = form
        self.routes = routes
    }

    /// What this server refuses for want of room or of another server, and what fails in an outage, may be
    /// many requests a second.
    private let refusals = PausedLog("requests refused", counting: "requests")
    private let failures = PausedLog("requests failed", .error, counting: "requests")

    package func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        var response: Response
        do {
            try check(request, context)
            response = try await next(request, context)
        } catch {
            response = try answer(to: error, request, context)
        }
        response.headers[.xContentTypeOptions] = "nosniff"
        if request.method == .head { response = response.createHeadResponse() }
        return response
    }

    private func check(_ request: Request, _ context: AppContext) throws(Problem) {
        let target = request.uri.string.utf8
        guard target.count <= WebURL.longest else {
            throw .uriTooLong
        }
        guard target.allSatisfy(\.isVisibleASCII) else {
            throw Problem(.badRequest, "malformed_url", "The URL must be percent-encoded.")
        }
        // Else `//v1//admin` would pass a proxy that keeps `/v1/admin` in.
        guard !Self.hasEmptySegment(request.uri.path) || isOpenToAll(request, context) else {
            throw .notFound("not_found", "There is nothing here: the path has an empty segment, `//`.")
        }
    }

    /// Whether the path has two slashes in a row. In bytes, since each request asks.
    private static func hasEmptySegment(_ path: String) -> Bool {
        path.utf8.withBytes { bytes in
            let slash = UInt8(ascii: "/")
            return bytes.indices.dropFirst().contains { bytes[$0] == slash && bytes[$0 - 1] == slash }
        }
    }

    /// Whether the request is for a page that needs no key.
    private func isOpenToAll(_ request: Request, _ context: AppContext) -> Bool {
        context.form == .page && routes.route(of: request)?.keyPlace != .password
    }

    private func answer(to error: any Error, _ request: Request, _ context: AppContext) throws -> Response {
        let problem = problem(for: error, request, context)
        return try form(problem, request, context) ?? problem.response(from: request, context: context)
    }

    private func problem(for error: any Error, _ request: Request, _ context: AppContext) -> Problem {
        switch error {
        case let error as any ProblemError:
            let problem = error.problem
            if problem.status.kind == .serverError { note(problem, problem.detail, context) }
            return problem
        case PostgresError.overloaded:
            note(.unavailable, PostgresError.overloaded.explanation, context)
            return .unavailable
        case let error as PostgresError where error.isOutage:
            let (method, route) = ("\(request.method)", context.endpointPath ?? "")
            failures.note(
                metadata(error, request, context), of: "\(method) \(route) \(error.sqlState ?? "")",
                to: context.logger)
            return .unavailable
        case let error as any HTTPResponseError where error.status == .notFound:
            return routes.problem(for: request) ?? .notFound()
        case let error as any HTTPResponseError where error.status.kind == .clientError:
            return Problem(error.status, "malformed_request", "The request could not be read.")
        default:
            // Its answer refers to the log by the request's id.
            context.logger.error("request failed", metadata: metadata(error, request, context))
            return .internalError
        }
    }

    private func note(_ problem: Problem, _ reason: String, _ context: AppContext) {
        let route = context.endpointPath ?? ""
        refusals.note(
            ["route": "\(route)", "status": "\(problem.status.code)", "reason": "\(reason)"], of: route,
            to: context.logger)
    }

    private func metadata(_ error: any Error, _ request: Request, _ context: AppContext) -> Logger.Metadata {
        var metadata: Logger.Metadata = [
            "error": "\((error as? PostgresError)?.explanation ?? String(reflecting: error))",
            "method": "\(request.method)",
            "route": "\(context.endpointPath ?? "")",
        ]
        if let advice = (error as? PostgresError)?.advice { metadata["advice"] = "\(advice)" }
        return metadata
    }
}
