import Hummingbird
import Kernel
import Logging
import Postgres
import Web

/// Hosts of deep links, and which paths are Kith's own.
extension App {
    /// Returns the router of a host with nothing but deep links.
    func router(ofDeepLinks domains: [LinkDomain]) -> Router<AppContext> {
        router(routes(ofLinkHost: domains))
    }

    /// The product without settings and without a database, of which only the table of routes is used. As in
    /// `kith dev`, it has all routes.
    static let blank = Result {
        var config = Config()
        config.auth.firebaseProject = "none"
        let db = try config.database.open(.init(url: "postgresql://"))
        return try App(config, db: db, logger: Logger(label: "routes"), isForDevelopment: true)
    }

    /// The first segments of the product's own routes: on the hosts of its API and pages, and on those with
    /// nothing but deep links. No path of deep links may begin with one.
    static let ownSegments = blank.map { app in
        func segments(_ routes: [Route]) -> Set<String> { RouteTable(routes.map(\.rules)).segments }
        return (all: segments(app.routes), ofLinkHosts: segments(app.routes(ofLinkHost: [])))
    }
}
