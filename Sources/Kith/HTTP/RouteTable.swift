import HTTPTypes
import Hummingbird
import Synchronization

/// The finished table of routes: which methods each path has, and which paths are of an API.
final class RouteTable: Sendable {
    /// What a path below the first segment answers to errors; others answer pages.
    enum API: Sendable {
        case kith, firebase
    }

    private struct Known {
        var routes: [(path: [Substring], method: String)] = []
        /// By the first segments of their paths.
        var apis: [(segment: Substring, api: API)] = []
    }

    private let known = Mutex(Known())

    /// Reads the finished table of routes.
    func learn(_ router: Router<some RequestContext>) {
        let all = Self.paths(router)
        known.withLock { $0.routes = all }
    }

    /// Learns that the routes that `add` adds to the router are of an API.
    func learn(_ router: Router<some RequestContext>, _ api: API, _ add: () -> Void) {
        let others = Set(Self.paths(router).map(\.path))
        add()
        let segments = Set(
            Self.paths(router).map(\.path).filter { !others.contains($0) }.compactMap(\.first))
        known.withLock { $0.apis += segments.map { ($0, api) } }
    }

    private static func paths(
        _ router: Router<some RequestContext>
    ) -> [(path: [Substring], method: String)] {
        router.routes.map { ($0.path.description.split(separator: "/"), $0.method.rawValue) }
    }

    /// The first segments of all paths, but for those that stand for any text.
    var segments: Set<String> {
        Set(
            known.withLock(\.routes).compactMap(\.path.first).filter { !$0.contains("{") && $0 != "**" }
                .map(String.init))
    }

    /// The API that a request is for; nil: it is for a page. Like the router it ignores empty segments: `//v1/signup` is a sign-up.
    func api(of request: Request) -> API? {
        let slash = UInt8(ascii: "/")
        let segment = request.uri.path.utf8.drop { $0 == slash }.prefix { $0 != slash }
        return known.withLock { known in
            known.apis.first { $0.segment.utf8.elementsEqual(segment) }?.api
        }
    }

    /// 405 with `Allow` if the path exists, but not with this method; else nil.
    func problem(for request: Request) -> Problem? {
        let methods = methods(of: request)
        guard !methods.isEmpty, !methods.contains(request.method.rawValue) else { return nil }
        let allow = methods.sorted().joined(separator: ", ")
        return Problem(
            .methodNotAllowed, "method_not_allowed", "Allowed here: \(allow).", headers: [.allow: allow])
    }

    /// The methods of a request's path; none if there is no such path.
    func methods(of request: Request) -> Set<String> {
        let methods = Set(matching(request).map(\.method))
        return methods.contains("GET") ? methods.union(["HEAD"]) : methods
    }

    /// The route of a request's path, with whatever method it has.
    func path(of request: Request) -> String? {
        matching(request).first.map { "/" + $0.path.joined(separator: "/") }
    }

    /// The route of an answered request; the router knows none for a path with another method.
    func route(of request: Request, _ response: Response, _ context: some RequestContext) -> String {
        if response.status == .methodNotAllowed, let path = path(of: request) { return path }
        return context.endpointPath ?? ""
    }

    private func matching(_ request: Request) -> [(path: [Substring], method: String)] {
        let path = request.uri.path.split(separator: "/")
        let matching = known.withLock { $0.routes.filter { Self.matches($0.path, path) } }
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
