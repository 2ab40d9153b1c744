import Hummingbird

/// Update policies: the routes, for keys, and the handlers.
extension App {
    func addRoutes(forPolicies v1: APIRoutes<CallerContext>) {
        v1.get("policy", query: AskingApp.parameters + ["installationId"], use: policyRoutes.show)
        v1.get(
            "policy/remote-config", query: AskingApp.parameters + ["installationId"],
            use: policyRoutes.showAsParameter)
    }

    /// For admin keys.
    func addRoutes(forPolicies v1: APIRoutes<AdminContext>) {
        v1.get("admin/policies", use: policyRoutes.list)
        v1.get(
            "admin/policies/evaluate", query: AskingApp.parameters + ["installationId", "at"],
            use: policyRoutes.evaluate)
        v1.get("admin/client-versions", query: ["from", "to", "platform", "app"], use: versionRoutes.show)
        v1.get(
            "admin/client-versions.svg", query: ["from", "to", "platform", "app", "policy", "language"],
            use: versionRoutes.draw)
    }

    var policyRoutes: PolicyRoutes {
        PolicyRoutes(
            cache: policies, applied: AppliedStore(db: db),
            signer: config.secretsKey.flatMap(PolicySigner.init), counts: versionCounts,
            metrics: metrics,
            stores: [
                .ios: .init(id: config.app.iosBundleID, url: app.appStoreURL),
                .android: .init(id: config.app.androidPackage, url: app.playStoreURL),
            ],
            apps: linked, countryHeader: config.clicks.countryHeader, world: world)
    }

    private var versionRoutes: VersionRoutes {
        VersionRoutes(store: VersionCountStore(db: db), policies: policies, world: world)
    }
}
