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
    let allowedMethods: AllowedMethods
    /// What this server refuses for want of room or of another server, and what fails in an outage, may be many requests a
    /// second.
    private let refusals = PausedLog("requests refused", counting: "requests")
    private let failures = PausedLog("requests failed", .error, counting: "requests")

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
        // Else `//v1//admin` would pass a proxy that keeps `/v1/admin` in.
        guard !(request.isForAPI || request.isForLinkPages) || !request.uri.path.contains("//") else {
            throw .notFound("not_found", "There is nothing here: the path has an empty segment, `//`.")
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
            return allowedMethods.problem(for: request) ?? .notFound()
        case let error as any HTTPResponseError where error.status.kind == .clientError:
            return Problem(error.status, "malformed_request", "The request could not be read.")
        default:
            // Its answer refers to the log by the request's id.
            context.logger.error("request failed", metadata: metadata(error, request, context))
            return .internalError
        }
    }

    private func note(_ problem: Problem, _ reason: String, _ context: Context) {
        let route = context.endpointPath ?? ""
        refusals.note(
            ["route": "\(route)", "status": "\(problem.status.code)", "reason": "\(reason)"], of: route,
            to: context.logger)
    }

    private func metadata(_ error: any Error, _ request: Request, _ context: Context) -> Logger.Metadata {
        var metadata: Logger.Metadata = [
            "error": "\((error as? PostgresError)?.explanation ?? String(reflecting: error))",
            "method": "\(request.method)",
            "route": "\(context.endpointPath ?? "")",
        ]
        if let advice = (error as? PostgresError)?.advice { metadata["advice"] = "\(advice)" }
        return metadata
    }
}

extension Request {
    /// Whether the request is for an API, not for pages. Like the router it ignores empty segments.
    var isForAPI: Bool { firstSegment == "v1" || firstSegment == "hooks" || isForFirebase }

    /// Whether it is a call of Firebase's API, `/fdl/…`, with errors of its own form.
    var isForFirebase: Bool { firstSegment == "fdl" }

    /// Whether it is for what people see of short links who have a key: `/links/…`.
    var isForLinkPages: Bool { firstSegment == "links" }

    private var firstSegment: Substring {
        let slash = UInt8(ascii: "/")
        return Substring(uri.path.utf8.drop { $0 == slash }.prefix { $0 != slash })
    }
}

/// The methods of each path, for 405 responses.
final class AllowedMethods: Sendable {
    private let routes = Mutex<[(path: [Substring], method: String)]>([])

    /// Reads the finished table of routes.
    func learn(_ router: Router<some RequestContext>) {
        let all = router.routes.map { ($0.path.description.split(separator: "/"), $0.method.rawValue) }
        routes.withLock { $0 = all }
    }

    /// 405 with `Allow` if the path exists, but not with this method; else nil.
    func problem(for request: Request) -> Problem? {
        var methods = Set(matching(request).map(\.method))
        if methods.contains("GET") { methods.insert("HEAD") }
        guard !methods.isEmpty, !methods.contains(request.method.rawValue) else { return nil }
        let allow = methods.sorted().joined(separator: ", ")
        return Problem(
            .methodNotAllowed, "method_not_allowed", "Allowed here: \(allow).", headers: [.allow: allow])
    }

    /// The route of an answered request; the router knows none for a path with another method.
    func route(of request: Request, _ response: Response, _ context: some RequestContext) -> String {
        if response.status == .methodNotAllowed, let known = matching(request).first {
            return "/" + known.path.joined(separator: "/")
        }
        return context.endpointPath ?? ""
    }

    private func matching(_ request: Request) -> [(path: [Substring], method: String)] {
        let path = request.uri.path.split(separator: "/")
        let matching = routes.withLock { $0.filter { Self.matches($0.path, path) } }
        // As in the router, a literal segment takes precedence over a parameter.
        let fewest = matching.map { Self.parameters($0.path) }.min()
        return matching.filter { Self.parameters($0.path) == fewest }
    }

    private static func matches(_ route: [Substring], _ path: [Substring]) -> Bool {
        let fixed = route.last == "**" ? route.dropLast() : route[...]
        return (route.last == "**" ? path.count >= route.count : path.count == route.count)
            && zip(fixed, path).allSatisfy { isParameter($0) || $0 == $1 }
    }

    private static func parameters(_ route: [Substring]) -> Int {
        route.count(where: isParameter)
    }

    private static func isParameter(_ segment: Substring) -> Bool {
        segment.hasPrefix("{") || segment.hasPrefix(":") || segment == "**"
    }
}
