import HTTPTypes
import Kernel

/// The routes of what operators set, and of its history.
extension App {
    var routesOfConfig: [Route] {
        let (config, publications) = (publicationRoutes, "/v1/admin/config/publications")
        return [
            Route(.get, "/v1/admin/config", .admin(config.show), query: ["revision", "at"]),
            Route(.post, "/v1/admin/config", .admin(config.publish)),
            Route(.get, "/v1/admin/config/items/{section}/{key}", .admin(config.showItem)),
            Route(.get, "/v1/admin/config/difference", .admin(config.compare), query: ["from", "to"]),
            Route(.get, publications, .admin(config.list), query: ["item", "before", "limit"]),
            Route(.get, "\(publications)/{number}", .admin(config.showPublication)),
            Route(.post, "\(publications)/{number}/revert", .admin(config.revert)),
            Route(.post, "\(publications)/{number}/restore", .admin(config.restore)),
        ]
    }

    private var publicationRoutes: PublicationRoutes {
        PublicationRoutes(publisher: Publisher(db: db, config: config))
    }
}
