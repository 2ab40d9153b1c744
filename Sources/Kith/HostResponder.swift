import Events
import Foundation
import Graph
import HTTPTypes
import Hummingbird
import Kernel
import Links
import Logging
import Synchronization
import Web

/// Answers by the host of the request: the console at its own, each applied app at its own hosts, and the app
/// of the environment at all others.
///
/// Each request gets its id here: the one that a trusted proxy sent, or a new one.
final class HostResponder: HTTPResponder, Sendable {
    typealias Responder = RouterResponder<AppContext>

    private let app: App
    private let served: Mutex<Served>

    fileprivate struct Served {
        /// The version of what is applied. Nil until it was read.
        var version: Int64?
        /// The app from the environment. It knows every other app's links.
        var app: App
        var standard: Responder
        /// The responders by the names of hosts. Nil for an app that this server cannot create.
        var others: [String: Responder?] = [:]
        /// The apps that were created, by their keys.
        var made: [String: Made] = [:]
    }

    fileprivate struct Made {
        let applied: AppliedApp
        let config: Config
        let front: AppPages
    }

    init(_ app: App) {
        self.app = app
        served = Mutex(Served(app, [:]))
    }

    /// The app from the environment. It knows the links of the apps that were applied when it last followed.
    var standardApp: App { served.withLock(\.app) }

    /// Whether it knows what is applied.
    var isReady: Bool { served.withLock { $0.version != nil } }

    func respond(to request: Request, context: AppContext) async throws -> Response {
        let given = app.config.server.trustedProxies.requestID(request.headers[.xRequestID], of: context.peer)
        let id = (given ?? RequestID()).description
        var context = context
        context.logger[metadataKey: "hb.request.id"] = .string(id)
        var response = try await answer(to: request, context)
        response.headers[.xRequestID] = id
        return response
    }

    private func answer(to request: Request, _ context: AppContext) async throws -> Response {
        let responder: Responder? = served.withLock { served in
            guard !served.others.isEmpty else { return served.standard }
            return served.others[Self.name(ofHost: request.head.authority ?? "")] ?? served.standard
        }
        guard let responder else {
            var response = try Problem.appUnavailable.response(from: request, context: context)
            response.headers[.xContentTypeOptions] = "nosniff"
            return response
        }
        guard request.head.path == EventStream.path else {
            return try await responder.respond(to: request, context: context)
        }
        return try await EventStream.apart { try await responder.respond(to: request, context: context) }
    }

    /// Serves what is applied now. Returns the errors of apps that cannot be created, by their keys. Such an
    /// app goes on with its previous settings, or its hosts are refused. Throws if nothing can be read; then
    /// everything goes on as before.
    func follow() async throws -> [String: any Error] {
        let before = served.withLock { $0 }
        guard let applied = try await AppliedStore(db: app.db).read(except: before.version ?? 0) else {
            served.withLock { $0.version = before.version ?? 0 }
            return [:]
        }
        var (made, failed) = ([String: Made](), [String: any Error]())
        // `kith apply` may have checked it beside other settings than those of this server.
        let mistakes = applied.content.mistakes(over: app.config)
        for (key, wanted) in applied.content.apps {
            let own = mistakes.filter { $0.hasPrefix("apps.\(key).") || $0.hasPrefix("apps.\(key):") }
            do {
                guard own.isEmpty else { throw ConfigError(mistakes: own) }
                made[key] = try before.made[key].flatMap { $0.applied == wanted ? $0 : nil } ?? make(wanted)
            } catch {
                failed[key] = error
                made[key] = before.made[key]
            }
        }
        var fresh = Served(app, made)
        fresh.version = applied.version
        for key in failed.keys where made[key] == nil {
            for host in applied.content.apps[key]?.hosts ?? [] {
                let name = Self.name(ofOrigin: host)
                // The app of the settings may have its deep links there.
                if !fresh.others.keys.contains(name) { fresh.others[name] = .some(nil) }
            }
        }
        served.withLock { $0 = fresh }
        return failed
    }

    private func make(_ applied: AppliedApp) throws -> Made {
        let config = try applied.config(over: app.config)
        return Made(
            applied: applied, config: config, front: try app.storefront(config, hosts: applied.origins))
    }

    /// Returns the name by which an origin is looked up.
    static func name(ofOrigin origin: String) -> String {
        name(
            ofHost: origin.split(separator: "/", omittingEmptySubsequences: true).last.map(String.init) ?? "")
    }

    /// Returns the name by which the `Host` of a request is looked up: lower case, without the usual ports,
    /// and without a dot at the end of the name.
    static func name(ofHost host: String) -> String {
        // This works on bytes, since each request asks.
        let bytes = host.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        var end = bytes.count
        while end > 0, bytes[end - 1].isASCIIDigit { end -= 1 }
        let hasPort = end > 0 && bytes[end - 1] == UInt8(ascii: ":")
        var (name, port) = hasPort ? (bytes[..<(end - 1)], bytes[end...]) : (bytes[...], [])
        if name.last == UInt8(ascii: ".") { name = name.dropLast() }
        let isUsual = ["", "443", "80"].contains { port.elementsEqual($0.utf8) }
        if !isUsual { name += [UInt8(ascii: ":")] + port }
        return String(decoding: name, as: UTF8.self)
    }
}

extension HostResponder.Served {
    init(_ app: App, _ made: [String: HostResponder.Made]) {
        let configs = made.mapValues(\.config.app)
        var links = made.mapValues { made in
            var links = InviteLinks(made.config)
            links.others = made.applied.origins.dropFirst().map { host in
                var config = made.config
                config.server.linkURL = host
                return InviteLinks(config)
            }
            return links
        }
        links[LinkedApps.standard] = InviteLinks(app.config)
        var projects = made.mapValues(\.front.project)
        projects[LinkedApps.standard] = app.front.project
        projects = projects.mapValues { [all = projects.values] in $0.beside(all) }
        func serving(_ key: String, _ config: Config, _ front: AppPages) -> App {
            var front = front
            front.project = projects[key] ?? front.project
            return app.serving(
                config, front, LinkedApps(own: key, settings: app.config.app, configs), links, projects)
        }
        let standardApp = serving(LinkedApps.standard, app.config, app.front)
        self.app = standardApp
        standard = standardApp.router().buildResponder()
        var own: Set = [HostResponder.name(ofOrigin: app.config.server.linkURL)]
        var apps = [standardApp]
        for (key, made) in made {
            let app = serving(key, made.config, made.front)
            let responder = app.router().buildResponder()
            let names = made.applied.hosts.map(HostResponder.name(ofOrigin:))
            for name in names { others[name] = responder }
            own.formUnion(names)
            apps.append(app)
        }
        for app in apps {
            let domains = Dictionary(grouping: app.front.project.domains) {
                HostResponder.name(ofOrigin: $0.origin)
            }
            for (host, domains) in domains where !own.contains(host) {
                others[host] = app.router(ofDeepLinks: domains).buildResponder()
            }
        }
        // Last, so that no app can take the console's host.
        if let console = standardApp.routerOfConsole(), let host = app.config.console.hostName {
            others[host] = console.buildResponder()
        }
        self.made = made
    }
}

extension InviteLinks {
    init(_ config: Config) {
        self.init(
            origin: config.server.linkURL, appScheme: config.app.scheme?.lowercased(),
            hasVanityLinks: config.app.vanityLinks)
    }
}

extension Problem {
    fileprivate static let appUnavailable = Problem(
        .serviceUnavailable, "unavailable", "The app of this host is temporarily unavailable. Try again.",
        retryAfter: 60)
}
