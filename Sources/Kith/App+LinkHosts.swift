import Hummingbird
import Kernel
import Logging
import Postgres
import Web

/// Hosts of deep links, and which paths are Kith's own.
extension App {
    /// The router of a host with nothing but deep links.
    func router(ofDeepLinks domains: [LinkDomain]) -> Router<AppContext> {
        router(routes(ofLinkHost: domains))
    }

    /// The product without settings and without a database, for what its table of routes says; as in `kith dev`,
    /// which has all routes.
    static let blank = Result {
        var config = Config()
        config.auth.firebaseProject = "none"
        let db = try config.database.open(.init(url: "postgresql://"))
        return try App(config, db: db, logger: Logger(label: "routes"), isForDevelopment: true)
    }

    /// What the product answers itself, by the first segments of its routes: on the hosts of its API and pages,
    /// and on those with nothing but deep links. No path of deep links may begin with one.
    static let ownSegments = blank.map { app in
        func segments(_ routes: [Route]) -> Set<String> { RouteTable(routes.map(\.rules)).segments }
        return (all: segments(app.routes), ofLinkHosts: segments(app.routes(ofLinkHost: [])))
    }
}
