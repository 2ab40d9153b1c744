import HTTPTypes
import Kernel

/// The routes of what operators set, and of its history.
extension App {
    var routesOfConfig: [Route] {
        let (config, publications) = (publicationRoutes, "/v1/admin/config/publications")
        return [
            Route(
                .get, "/v1/admin/config", .admin(config.show, or: [.viewer, .growth]),
                query: ["revision", "at"]),
            Route(.post, "/v1/admin/config", .admin(config.publish, or: [.growth])),
            Route(
                .get, "/v1/admin/config/items/{section}/{key}",
                .admin(config.showItem, or: [.viewer, .growth])),
            Route(
                .get, "/v1/admin/config/difference", .admin(config.compare, or: [.viewer, .growth]),
                query: ["from", "to"]),
            Route(
                .get, publications, .admin(config.list, or: [.viewer, .growth]),
                query: ["item", "before", "limit"]),
            Route(.get, "\(publications)/{number}", .admin(config.showPublication, or: [.viewer, .growth])),
            Route(.post, "\(publications)/{number}/revert", .admin(config.revert, or: [.growth])),
            Route(.post, "\(publications)/{number}/restore", .admin(config.restore, or: [.growth])),
        ]
    }

    private var publicationRoutes: PublicationRoutes {
        PublicationRoutes(publisher: Publisher(db: db, config: config))
    }
}
