import Charts
package import Hummingbird
package import Kernel
package import Web

/// The route `/v1/values`, and routes for what apps and backends report about experiments, and what operators
/// see of them.
package struct ExperimentRoutes {
    package let recorder: ExperimentRecorder
    package let applied: AppliedStore
    package let history: PublicationStore
    package let devices: TestDeviceCache
    /// The store of the key that marks assignments.
    package let keys: CursorKeyStore
    /// The limiter. Nil if limits are off.
    package let limiter: RateLimiter?
    package let countryHeader: String?
    package let world: World

    package init(
        recorder: ExperimentRecorder, applied: AppliedStore, history: PublicationStore,
        devices: TestDeviceCache,
        keys: CursorKeyStore,
        limiter: RateLimiter?, countryHeader: String?, world: World
    ) {
        self.recorder = recorder
        self.applied = applied
        self.history = history
        self.devices = devices
        self.keys = keys
        self.limiter = limiter
        self.countryHeader = countryHeader
        self.world = world
    }

    /// `GET /v1/values?unit&platform&app&version&build&os&language&country` returns all values for a unit,
    /// and its variations. Without `unit` there are no variations. It reads no table, unless an experiment is
    /// sticky.
    @Sendable package func show(_ request: Request, context: CallerContext) async throws -> Response {
        var asking = try AskingApp(
            request.query, country: context.country(of: request, by: countryHeader), at: world.now())
        let unit = try request.query.value("unit").map { try Self.unit($0, context) }
        asking.id = unit?.text
        var known = try await recorder.caches.current()
        let device = unit.flatMap { devices.device($0.id, isOfApp: context.isOfApp) }
        if let device { replace(&known, for: device) }
        let experiments = known.experiments.rules.experiments
        let values = RemoteValues(
            known.values.rules.values, experiments, for: asking, unit,
            exposed: try await exposed(unit, experiments, context), given: device?.variations ?? [:],
            ofPages: false)
        var response = try JSON.revalidated(
            ValuesResponse(
                values, of: unit, revision: known.revision, device == nil ? try await mark : nil),
            for: request)
        response.headers[.kithTestDevice] = device?.name
        return response
    }

    /// `GET /v1/admin/values/evaluate`, with the parameters of `GET /v1/values` and `at`, shows what an app
    /// would get, and why. It counts nothing, reads no table, and knows neither test devices nor what sticky
    /// units saw.
    @Sendable package func evaluate(_ request: Request, context: AdminContext) async throws
        -> ValueTrialResponse
    {
        var asking = try AskingApp(request.query, at: request.query.time("at") ?? world.now())
        let unit = try request.query.value("unit").map(ExperimentUnit.required)
        asking.id = unit?.text
        let known = try await recorder.caches.current()
        return ValueTrialResponse(
            known.values.rules.values, known.experiments.rules.experiments, for: asking, unit,
            revision: known.revision)
    }

    /// Puts what the device sees in place of what is applied.
    private func replace(_ known: inout RemoteValueCaches.All, for device: TestDevice) {
        if let values = devices.rules(AppliedValues.self, for: device) {
            known.values.rules = values
        }
        if let experiments = devices.rules(AppliedExperiments.self, for: device) {
            known.experiments.rules = experiments
        }
    }

    private var mark: AssignmentMark {
        get async throws { AssignmentMark(try await keys.key(for: AssignmentMark.purpose)) }
    }

    /// Returns the unit. A key may name any unit, a user only themselves.
    private static func unit(_ text: String, _ context: CallerContext) throws(Problem) -> ExperimentUnit {
        let unit = try ExperimentUnit.required(text)
        if let user = context.caller.user, User.ID(of: user).uuid != unit.id {
            throw Problem(
                .forbidden, "forbidden",
                "`unit` must be your own uid. For another unit call with an API key.",
                field: "unit")
        }
        return unit
    }

    private func exposed(
        _ unit: ExperimentUnit?, _ experiments: [Experiment], _ context: CallerContext
    ) async throws -> [String: String] {
        let phases = experiments.filter { $0.isSticky && $0.isRunning }.map { ($0.key, $0.phase) }
        guard let unit, !phases.isEmpty else { return [:] }
        let current = Dictionary(uniqueKeysWithValues: phases)
        return try await recorder.store.exposed(unit, mayBeUser: !context.isOfApp).reduce(into: [:]) {
            found, exposed in
            if current[exposed.experiment] == exposed.phase {
                found[exposed.experiment] = exposed.variation
            }
        }
    }

    /// `POST /v1/exposures` reports that a unit used its variation, which `GET /v1/values` gave it. A second
    /// call changes nothing, and neither does one of a test device.
    @Sendable package func expose(
        _ request: Request, context: CallerContext
    ) async throws -> HTTPResponse.Status {
        let body = try await request.decode(as: ExposureRequest.self, context: context)
        let unit = try Self.unit(body.unit, context)
        if devices.contains(unit.id) { return .noContent }
        let rules = try await recorder.caches.current().experiments.rules
        guard let experiment = rules[body.experiment], !experiment.isOfPages else {
            throw ExperimentError.unknown
        }
        guard experiment.variation(body.variation) != nil else {
            throw Problem.invalid("variation", "must be a variation of the experiment")
        }
        guard experiment.phase == body.phase, experiment.isRunning else { throw ExperimentError.changed }
        var exposure = Exposure(
            unit: unit.id, experiment: experiment.key, phase: experiment.phase, variation: body.variation)
        if let assignment = body.assignment {
            guard try await mark.isValid(assignment, for: unit, in: exposure) else {
                throw ExperimentError.otherVariation
            }
        } else if !context.caller.isBackend {
            // Everybody who has the app has its key, and could otherwise put others into any variation.
            throw Problem.invalid("assignment", "is required: as GET /v1/values gave it")
        } else if experiment.variation(of: unit)?.name != body.variation {
            if try await exposed(unit, [experiment], context)[experiment.key] == body.variation {
                return .noContent
            }
            throw ExperimentError.otherVariation
        }
        exposure.isLeftOut = try await isLeftOut(unit, context)
        if exposure.isLeftOut {
            await recorder.note([exposure])
        } else {
            try await recorder.expose([exposure])
        }
        return .noContent
    }

    /// Whether nobody can tell who it is: too many come from one address, or an app names an account without
    /// its user's token.
    private func isLeftOut(_ unit: ExperimentUnit, _ context: CallerContext) async throws -> Bool {
        if let address = context.address, limiter?.spend(.visitors, address.subject)?.isAllowed == false {
            return true
        }
        return context.isOfApp ? try await recorder.store.isUser(unit) : false
    }

    /// `POST /v1/goals` reports that a unit reached a goal, which counts once for each experiment to which it
    /// was exposed.
    @Sendable package func reach(_ request: Request, context: CallerContext) async throws
        -> HTTPResponse.Status
    {
        let body = try await request.decode(as: ConversionRequest.self, context: context)
        let conversion = try body.conversion()
        if !devices.contains(conversion.unit) { try await recorder.add(conversion) }
        return .noContent
    }

    /// `GET /v1/admin/experiments` shows the values and experiments that `kith apply` has set up. Servers
    /// follow within seconds.
    @Sendable package func list(_ request: Request, context: AdminContext) async throws -> ExperimentsResponse
    {
        let values = try await applied.read(AppliedValues.self) ?? .init()
        let experiments = try await applied.read(AppliedExperiments.self) ?? .init()
        return ExperimentsResponse(
            revision: values.version + experiments.version, values: values.content.entries,
            experiments: experiments.content.entries)
    }

    package static let parametersOfResults = ["phase"] + ChartForm.parameters

    /// `GET /v1/admin/experiments/{experiment}/results?phase` counts and judges a phase of an experiment, by
    /// default the last, even if it was removed. As JSON or, if the caller rather wants that, as CSV or as a
    /// picture (`width`).
    @Sendable package func results(_ request: Request, context: AdminContext) async throws -> Response {
        guard let key = context.parameters.get("experiment"), EntryKey.isOne(key) else {
            throw ExperimentError.unknown
        }
        let phase = try request.query.value("phase").map { try Self.phase($0) }
        let width = try ChartPicture.width(request.query)
        let applied = try await applied.read(AppliedExperiments.self)?.content.read().rules[key]
        let item = ItemName(AppliedExperiments.name, key)
        let past = ExperimentHistory(key, try await history.changes(of: item, limit: Self.mostSteps))
        var definition: Experiment?
        if let phase {
            let changes = try await history.changes(of: item, phase: phase, limit: 1)
            definition = ExperimentHistory(key, changes).definition(of: phase, applied: nil)
        }
        definition = definition ?? past.definition(of: phase, applied: applied)
        guard let experiment = definition else { throw ExperimentError.unknown }
        let results = ExperimentResultsResponse(
            experiment, applied: applied,
            try await recorder.store.counts(of: key, phase: experiment.phase), past)
        return try ChartForm.response(to: request, context, json: results, table: results.table) {
            results.picture($0, width: width)
        }
    }

    /// The most changes in the history of results, the newest.
    private static let mostSteps = 200

    private static func phase(_ text: String) throws(Problem) -> Int {
        guard let phase = Int(text), (1...ExperimentReader.mostPhases).contains(phase) else {
            throw .invalid("phase", "must be a number from 1 to \(ExperimentReader.mostPhases)")
        }
        return phase
    }
}
