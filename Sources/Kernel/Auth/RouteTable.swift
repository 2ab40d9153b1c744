import HTTPTypes
package import Hummingbird
package import Web

/// The routes of a host, for what the router does not say: which methods a path has, and how errors are
/// answered at a path without a route.
package struct RouteTable: Sendable {
    private let routes: [(path: [Substring], rules: RouteRules)]
    /// How errors are answered, by the first segment of a path. Paths that begin otherwise answer them by
    /// pages.
    private let forms: [(segment: String, form: ErrorForm)]

    package init(_ routes: [RouteRules]) {
        self.routes = routes.map { ($0.path.split(separator: "/"), $0) }
        let ofAPIs = self.routes.filter { $0.rules.form != .page }.compactMap { path, rules in
            path.first.map { (String($0), rules.form) }
        }
        forms = Dictionary(ofAPIs) { first, _ in first }.map { ($0.key, $0.value) }
    }

    package var hasAPI: Bool { !forms.isEmpty }

    /// The first segments of all paths, but for those that stand for any text.
    package var segments: Set<String> {
        Set(routes.compactMap(\.path.first).filter { !$0.contains("{") && $0 != "**" }.map(String.init))
    }

    /// The form of errors at a request's path, whether it has a route or not. Like the router this ignores
    /// empty segments: `//v1/signup` is a sign-up.
    package func form(of request: Request) -> ErrorForm {
        let slash = UInt8(ascii: "/")
        let segment = request.uri.path.utf8.drop { $0 == slash }.prefix { $0 != slash }
        return forms.first { $0.segment.utf8.elementsEqual(segment) }?.form ?? .page
    }

    /// 405 with `Allow` if the path exists, but not with this method; else nil.
    package func problem(for request: Request) -> Problem? {
        let methods = methods(of: request)
        guard !methods.isEmpty, !methods.contains(request.method.rawValue) else { return nil }
        let allow = methods.sorted().joined(separator: ", ")
        return Problem(
            .methodNotAllowed, "method_not_allowed", "Allowed here: \(allow).", headers: [.allow: allow])
    }

    /// The methods of a request's path; none if there is no such path.
    package func methods(of request: Request) -> Set<String> {
        let methods = Set(matching(request).map(\.method.rawValue))
        return methods.contains("GET") ? methods.union(["HEAD"]) : methods
    }

    /// A route of a request's path, with whatever method it has.
    package func route(of request: Request) -> RouteRules? { matching(request).first }

    private func matching(_ request: Request) -> [RouteRules] {
        let path = request.uri.path.split(separator: "/")
        let matching = routes.filter { Self.matches($0.path, path) }
        // As in the router, a literal segment takes precedence over a parameter.
        let fewest = matching.map { Self.parameters($0.path) }.min()
        return matching.filter { Self.parameters($0.path) == fewest }.map(\.rules)
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
