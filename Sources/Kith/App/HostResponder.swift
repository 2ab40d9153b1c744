import Foundation
import Hummingbird
import Synchronization

/// Answers by the host of the request: each applied app at its own hosts, and the app of the settings at all others.
final class HostResponder: HTTPResponder, Sendable {
    typealias Responder = RouterResponder<AppContext>

    private let app: App
    private let served: Mutex<Served>

    fileprivate struct Served {
        var version: Int64 = 0
        var standard: Responder
        /// By the names of hosts.
        var others: [String: Responder] = [:]
    }

    init(_ app: App) {
        self.app = app
        served = Mutex(Served(standard: app.router().buildResponder()))
    }

    func respond(to request: Request, context: AppContext) async throws -> Response {
        let responder = served.withLock { served in
            served.others.isEmpty
                ? served.standard
                : served.others[Self.name(ofHost: request.head.authority ?? "")] ?? served.standard
        }
        return try await responder.respond(to: request, context: context)
    }

    /// Serves what is applied by now. If it cannot be read, or makes no app, goes on with what it served and throws.
    func follow() async throws {
        let version = served.withLock(\.version)
        guard let applied = try await AppliedStore(db: app.db).read(after: version) else { return }
        let fresh = try Served(app, applied)
        served.withLock { $0 = fresh }
    }

    /// The name by which an origin is looked up.
    static func name(ofOrigin origin: String) -> String {
        name(
            ofHost: origin.split(separator: "/", omittingEmptySubsequences: true).last.map(String.init) ?? "")
    }

    /// The name by which the `Host` of a request is looked up: lower case, without the usual ports.
    private static func name(ofHost host: String) -> String {
        var name = host.lowercased()[...]
        for port in [":443", ":80"] where name.hasSuffix(port) { name = name.dropLast(port.count) }
        return String(name.hasSuffix(".") ? name.dropLast() : name)
    }
}

extension HostResponder.Served {
    init(_ app: App, _ applied: AppliedStore.Applied) throws {
        let configs = try applied.apps.apps.mapValues { try $0.config(over: app.config) }
        let linked = configs.mapValues(\.app).merging([LinkedApps.standard: app.config.app]) { own, _ in own }
        var links = [LinkedApps.standard: InviteLinks(app.config)]
        for (key, config) in configs {
            links[key] = InviteLinks(config)
            links[key]?.others =
                applied.apps.apps[key]?.hosts.dropFirst().map { host in
                    var config = config
                    config.server.linkURL = host
                    return InviteLinks(config)
                } ?? []
        }
        version = applied.version
        standard = try app.serving(app.config, as: LinkedApps.standard, among: linked, links).router()
            .buildResponder()
        for (key, config) in configs {
            let responder = try app.serving(config, as: key, among: linked, links).router().buildResponder()
            for host in applied.apps.apps[key]?.hosts ?? [] {
                others[HostResponder.name(ofOrigin: host)] = responder
            }
        }
    }
}

extension InviteLinks {
    init(_ config: Config) {
        self.init(origin: config.server.linkURL, appScheme: config.app.scheme?.lowercased())
    }
}
