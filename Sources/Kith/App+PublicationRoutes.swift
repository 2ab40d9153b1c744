import HTTPTypes
import Kernel
import Rollout

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
        ] + routesOfDrafts
    }

    private var routesOfDrafts: [Route] {
        let drafts = DraftRoutes(config: publicationRoutes, drafts: ConfigDraftStore(db: db))
        let devices = TestDeviceRoutes(
            store: TestDeviceStore(db: db), drafts: ConfigDraftStore(db: db),
            publisher: publicationRoutes.publisher, experiments: ExperimentStore(db: db))
        let (draft, device) = ("/v1/admin/config/drafts/{draft}", "/v1/admin/config/test-devices/{device}")
        return [
            Route(.get, "/v1/admin/config/drafts", .admin(drafts.list, or: [.viewer, .growth])),
            Route(.get, draft, .admin(drafts.show, or: [.viewer, .growth])),
            Route(.put, draft, .admin(drafts.put, or: [.growth])),
            Route(.delete, draft, .admin(drafts.delete, or: [.growth])),
            Route(.post, "\(draft)/publication", .admin(drafts.publish, or: [.growth])),
            Route(.get, "/v1/admin/config/test-devices", .admin(devices.list, or: [.viewer, .growth])),
            Route(.put, device, .admin(devices.put, or: [.growth])),
            Route(.delete, device, .admin(devices.delete, or: [.growth])),
        ]
    }

    private var publicationRoutes: PublicationRoutes {
        PublicationRoutes(publisher: Publisher(db: db, config: config))
    }
}
