import Hummingbird

/// Remote values and experiments: the routes, for keys, and the handlers.
extension App {
    func addRoutes(forExperiments v1: APIRoutes<CallerContext>) {
        v1.get("values", query: AskingApp.parameters + ["unit"], use: experimentRoutes.show)
        v1.post("exposures", use: experimentRoutes.expose)
        v1.post("goals", use: experimentRoutes.reach)
    }

    /// For admin keys.
    func addRoutes(forExperiments v1: APIRoutes<AdminContext>) {
        v1.get("admin/experiments", use: experimentRoutes.list)
        v1.get("admin/experiments/{experiment}/results", use: experimentRoutes.results)
    }

    private var experimentRoutes: ExperimentRoutes {
        ExperimentRoutes(
            recorder: experiments, applied: AppliedStore(db: db), keys: cursors.keys, limiter: rateLimiter,
            countryHeader: config.clicks.countryHeader, world: world)
    }
}
