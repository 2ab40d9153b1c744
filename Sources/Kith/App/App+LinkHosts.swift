import Hummingbird
import Logging
import Postgres

/// What hosts of deep links answer, and which of their paths are Kith's own.
extension App {
    /// The router of a host with nothing but deep links.
    func router(ofDeepLinks domains: [LinkDomain]) -> Router<AppContext> {
        router { router, landing in
            let files = domains.first.flatMap { front.linkAssociations[$0.origin] } ?? front.associations
            addRoutes(forEveryHost: router, files, landing)
            addRoutes(forDeepLinks: router, domains)
        }
    }

    /// What the product answers itself, by the first segments of its routes: on the hosts of its API and pages, and on those with
    /// nothing but deep links. No path of deep links may begin with one.
    static let ownSegments = Result {
        var config = Config()
        config.auth.firebaseProject = "none"
        let db = try config.database.open(.init(url: "postgresql://"))
        let app = try App(config, db: db, logger: Logger(label: "routes"), isForDevelopment: true)
        func segments(_ router: Router<AppContext>) -> Set<String> {
            let routes = RouteTable()
            routes.learn(router)
            return routes.segments
        }
        return (all: segments(app.router()), ofLinkHosts: segments(app.router(ofDeepLinks: [])))
    }

    /// Deep links, at the paths of their domains.
    func addRoutes(forDeepLinks router: Router<AppContext>, _ domains: [LinkDomain]) {
        let routes = deepLinkRoutes(domains)
        for prefix in Set(domains.map(\.prefix)) {
            router.get("\(prefix)", use: link(routes.open))
            router.get("\(prefix)/**", use: link(routes.open))
        }
    }

    /// What systems and browsers ask of a host.
    func addRoutes(
        forEveryHost router: Router<AppContext>, _ files: AssociationFiles, _ landing: LandingRoutes
    ) {
        let association = AssociationRoutes(files: files)
        for file in HostFile.allCases {
            let path = RouterPath(file.rawValue)
            switch file {
            case .icon: router.get(path, use: landing.showIcon)
            case .robots: router.get(path, use: landing.robots)
            case .apple, .oldApple: router.get(path, use: association.apple)
            case .android: router.get(path, use: association.android)
            }
        }
    }
}
