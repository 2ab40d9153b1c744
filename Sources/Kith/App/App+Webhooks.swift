import Hummingbird

/// Events and webhooks: their routes, for admin keys, and their handlers.
extension App {
    func addRoutes(forWebhooks v1: APIRoutes<AdminContext>) {
        v1.get("admin/events", query: ["after", "limit", "wait"], use: eventRoutes.list)
        v1.get("admin/webhooks", use: webhookRoutes.list)
        v1.post("admin/webhooks", use: webhookRoutes.create)
        v1.get("admin/webhooks/{id}", use: webhookRoutes.show)
        v1.patch("admin/webhooks/{id}", use: webhookRoutes.change)
        v1.delete("admin/webhooks/{id}", use: webhookRoutes.delete)
        v1.post("admin/webhooks/{id}/secret", hasBody: false, use: webhookRoutes.rotate)
        v1.post("admin/webhooks/{id}/redeliver", use: webhookRoutes.redeliver)
        v1.get("admin/webhooks/{id}/dead", query: ["after", "limit"], use: webhookRoutes.listDead)
    }

    private var webhookRoutes: WebhookRoutes { WebhookRoutes(setup: WebhookSetup(db, config, world: world)) }
}
