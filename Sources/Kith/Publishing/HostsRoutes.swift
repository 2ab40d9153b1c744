import Hummingbird
import Kernel
import LinkTools
import Web

/// The routes `/v1/admin/hosts`: the hosts of links that the configuration names, and how they answer.
struct HostsRoutes {
    let applied: AppliedStore
    let config: Config
    /// Finds whether a host is public. Nil if hosts need not be.
    let lookup: HostLookup?

    struct HostsResponse: ResponseEncodable {
        let hosts: [Host]

        struct Host: Encodable, Sendable {
            let host: String
            let origin: String
            let app: String
        }
    }

    /// `GET /v1/admin/hosts` lists them, of each app.
    @Sendable func list(_ request: Request, context: AdminContext) async throws -> HostsResponse {
        HostsResponse(
            hosts: try await hosts().map { .init(host: $0.name, origin: $0.origin, app: $0.app) })
    }

    /// `GET /v1/admin/hosts/{host}/check` fetches the association files of one of them from outside, as
    /// `kith check-links` does, and tells what keeps links from opening the app. No other host is asked.
    @Sendable func check(_ request: Request, context: AdminContext) async throws -> Response {
        let wanted = context.parameters.get("host").flatMap { PercentEncoding.decode($0.utf8) }
        guard let wanted, let host = try await hosts().first(where: { $0.name == wanted }),
            let check = try? LinkCheck(
                origin: host.origin, ios: (try? IOSApp.all(host.config)) ?? [],
                android: (try? AndroidApp.all(host.config)) ?? [], lookup: lookup)
        else { throw Problem.notFound("not_found", "The configuration names no such host of links.") }
        return JSON.response(Array(try await check.run().json().utf8))
    }

    private struct Host {
        /// Its name, with an unusual port.
        let name: String
        let origin: String
        let app: String
        let config: AppConfig
    }

    private func hosts() async throws -> [Host] {
        let found = try await applied.read(AppliedApps.self)?.content.apps ?? [:]
        var apps = [(key: LinkedApps.standard, config: config, origins: [config.server.linkURL])]
        for (key, app) in found.sorted(by: { $0.key < $1.key }) {
            guard let own = try? app.config(over: config) else { continue }
            apps.append((key: key, config: own, origins: app.hosts))
        }
        var seen: Set<String> = []
        return apps.flatMap { app in
            let domains = ((try? LinkDomain.all(app.config.app)) ?? []).map(\.origin)
            return (app.origins + domains).compactMap { origin -> Host? in
                let name = HostResponder.name(ofOrigin: origin)
                guard seen.insert(name).inserted else { return nil }
                return Host(name: name, origin: origin, app: app.key, config: app.config.app)
            }
        }
    }
}
