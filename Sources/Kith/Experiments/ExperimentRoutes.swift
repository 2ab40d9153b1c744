import Hummingbird

/// `/v1/values`, what apps and backends tell of experiments, and what operators see of them.
struct ExperimentRoutes {
    let recorder: ExperimentRecorder
    let applied: AppliedStore
    let world: World

    /// `GET /v1/values?unit&platform&app&version&build&os&language&country` answers all values for a unit, and the variations that it
    /// is in; without `unit`, in none. It asks no table, unless an experiment is sticky.
    @Sendable func show(_ request: Request, context: CallerContext) async throws -> Response {
        try context.requireKey(ofBackend: false)
        var asking = try AskingApp(request.query, at: world.now())
        let unit = try request.query.value("unit").map(ExperimentUnit.required)
        asking.id = unit?.text
        let known = try await recorder.caches.current()
        let experiments = known.experiments.rules.experiments
        let values = RemoteValues(
            known.values.rules.values, experiments, for: asking, unit,
            exposed: try await exposed(unit, experiments), ofPages: false)
        return try JSON.revalidated(ValuesResponse(values, revision: known.revision), for: request)
    }

    private func exposed(
        _ unit: ExperimentUnit?, _ experiments: [Experiment]
    ) async throws -> [String: String] {
        let phases = experiments.filter { $0.isSticky && $0.winner == nil }.map { ($0.key, $0.phase) }
        guard let unit, !phases.isEmpty else { return [:] }
        let current = Dictionary(uniqueKeysWithValues: phases)
        return try await recorder.store.exposed(unit).reduce(into: [:]) { found, exposed in
            if current[exposed.experiment] == exposed.phase {
                found[exposed.experiment] = exposed.variation
            }
        }
    }

    /// `POST /v1/exposures` says that a unit used its variation, which its bucket gives it, or, if the experiment is sticky, its first
    /// exposure. A second call changes nothing.
    @Sendable func expose(
        _ request: Request, context: CallerContext
    ) async throws -> HTTPResponse.Status {
        try context.requireKey(ofBackend: false)
        let body = try await request.decode(as: ExposureRequest.self, context: context)
        let unit = try ExperimentUnit.required(body.unit)
        let rules = try await recorder.caches.current().experiments.rules
        guard let experiment = rules[body.experiment], !experiment.isOfPages else {
            throw ExperimentError.unknown
        }
        guard experiment.variation(body.variation) != nil else {
            throw Problem.invalid("variation", "must be a variation of the experiment")
        }
        guard experiment.phase == body.phase, experiment.winner == nil else { throw ExperimentError.changed }
        // Whoever has the app has its key, and would put others where they like.
        guard experiment.variation(of: unit)?.name == body.variation else {
            if try await exposed(unit, [experiment])[experiment.key] == body.variation { return .noContent }
            throw ExperimentError.otherVariation
        }
        try await recorder.expose([
            Exposure(
                unit: unit.id, experiment: experiment.key, phase: experiment.phase, variation: body.variation)
        ])
        return .noContent
    }

    /// `POST /v1/goals` says that a unit reached a goal, which counts once for each experiment to which it was exposed.
    @Sendable func reach(_ request: Request, context: CallerContext) async throws -> HTTPResponse.Status {
        try context.requireKey(ofBackend: true)
        let body = try await request.decode(as: ConversionRequest.self, context: context)
        try await recorder.add(body.conversion())
        return .noContent
    }

    /// `GET /v1/admin/experiments` shows the values and experiments that `kith apply` made true. Servers follow within seconds.
    @Sendable func list(_ request: Request, context: AdminContext) async throws -> ExperimentsResponse {
        let values = try await applied.read(AppliedValues.self) ?? .init()
        let experiments = try await applied.read(AppliedExperiments.self) ?? .init()
        return ExperimentsResponse(
            revision: values.version + experiments.version, values: values.content.entries,
            experiments: experiments.content.entries)
    }

    /// `GET /v1/admin/experiments/{experiment}/results` counts, and judges the experiment of this phase.
    @Sendable func results(
        _ request: Request, context: AdminContext
    ) async throws -> ExperimentResultsResponse {
        let rules = try await recorder.caches.current().experiments.rules
        guard let experiment = context.parameters.get("experiment").flatMap({ rules[$0] }) else {
            throw ExperimentError.unknown
        }
        return ExperimentResultsResponse(experiment, try await recorder.store.counts(of: experiment))
    }
}
