import HTTPTypes
import Hummingbird
import Logging
import Postgres
import Synchronization

/// The only place where errors become responses, and where failures are logged, once.
struct ErrorMiddleware<Context: RequestContext>: RouterMiddleware {
    /// 8 KiB.
    static var maxURL: Int { 8192 }

    /// Returns what to answer instead of problem+json, such as a page; nil for nothing else. It gets the request's id.
    let form: @Sendable (Problem, Request, String) -> Response?
    let routes: RouteTable
    private let refusals = RefusalLog()

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var response: Response
        do {
            try check(request)
            response = try await next(request, context)
        } catch {
            response = try answer(to: error, request, context)
        }
        response.headers[.xContentTypeOptions] = "nosniff"
        if request.method == .head { response = response.createHeadResponse() }
        return response
    }

    private func check(_ request: Request) throws(Problem) {
        let target = request.uri.string.utf8
        guard target.count <= Self.maxURL else {
            throw .uriTooLong
        }
        guard target.allSatisfy(\.isVisibleASCII) else {
            throw Problem(.badRequest, "malformed_url", "The URL must be percent-encoded.")
        }
    }

    private func answer(to error: any Error, _ request: Request, _ context: Context) throws -> Response {
        let problem = problem(for: error, request, context)
        return try form(problem, request, context.id) ?? problem.response(from: request, context: context)
    }

    private func problem(for error: any Error, _ request: Request, _ context: Context) -> Problem {
        switch error {
        case let error as any ProblemError:
            let problem = error.problem
            if problem.status.kind == .serverError { refusals.note(problem, problem.detail, context) }
            return problem
        case PostgresError.overloaded:
            refusals.note(.unavailable, PostgresError.overloaded.explanation, context)
            return .unavailable
        case let error as PostgresError where error.isOutage:
            log(error, request, context)
            return .unavailable
        case let error as any HTTPResponseError where error.status == .notFound:
            return routes.problem(for: request) ?? .notFound()
        case let error as any HTTPResponseError where error.status.kind == .clientError:
            return Problem(error.status, "malformed_request", "The request could not be read.")
        default:
            log(error, request, context)
            return .internalError
        }
    }

    private func log(_ error: any Error, _ request: Request, _ context: Context) {
        var metadata: Logger.Metadata = [
            "error": "\((error as? PostgresError)?.explanation ?? String(reflecting: error))",
            "method": "\(request.method)",
            "route": "\(context.endpointPath ?? "")",
        ]
        if let advice = (error as? PostgresError)?.advice { metadata["advice"] = "\(advice)" }
        context.logger.error("request failed", metadata: metadata)
    }
}

/// Logs what this server refused for want of room or of another server: they may be many, so a route has a line every ten
/// seconds.
private final class RefusalLog: Sendable {
    private let pauses = Mutex<[String: LogPause]>([:])

    func note(_ problem: Problem, _ reason: String, _ context: some RequestContext) {
        let route = context.endpointPath ?? ""
        guard let count = pauses.withLock({ $0[route, default: LogPause()].take(at: .now) }) else { return }
        context.logger.warning(
            "requests refused",
            metadata: [
                "requests": "\(count)", "route": "\(route)", "status": "\(problem.status.code)",
                "reason": "\(reason)",
            ])
    }
}
