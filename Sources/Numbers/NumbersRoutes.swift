import Charts
package import Counts
package import Hummingbird
package import Kernel
package import Web

/// The routes `/v1/admin/numbers`: how often something happened, over time.
package struct NumbersRoutes {
    let store: NumbersStore
    let policy: CountPolicy
    let world: World

    package init(store: NumbersStore, policy: CountPolicy, world: World) {
        (self.store, self.policy, self.world) = (store, policy, world)
    }

    /// The parameters of `list`.
    package static let listParameters = [ChartWords.parameter]
    /// The parameters of `show`.
    package static let parameters = NumbersRequest.parameters + ChartForm.parameters
    /// The parameters of `showFunnel`.
    package static let funnelParameters = Funnel.parameters + ChartForm.parameters

    /// `GET /v1/admin/numbers?hl` lists what there are numbers of.
    @Sendable package func list(_ request: Request, context: AdminContext) throws -> MeasuresResponse {
        MeasuresResponse(NumbersWords(try ChartWords.asked(by: request)))
    }

    /// `GET /v1/admin/numbers/{measure}?from&to&per&by&limit` with filters returns the numbers of a measure,
    /// as JSON or, if the caller rather wants that, as CSV or as a picture (`width`): `format`, or `Accept`.
    @Sendable package func show(_ request: Request, context: AdminContext) async throws -> Response {
        guard let measure = context.parameters.get("measure").flatMap(Measure.named) else {
            throw Problem.measureNotFound
        }
        let wanted = try NumbersRequest(request.query, of: measure, now: world.now(), policy)
        let width = try ChartPicture.width(request.query)
        let numbers = try await store.numbers(of: measure, wanted, least: policy.least)
        return try await QuestionThread.shared.run {
            try ChartForm.response(
                to: request, context, json: NumbersResponse(numbers, of: measure, wanted, policy),
                table: numbers.table(of: measure).of(wanted.span)
            ) { numbers.picture(of: measure, wanted, policy, $0, width: width) }
        }
    }

    /// `GET /v1/admin/numbers/invites.funnel?from&to` with a filter returns how many came to each step of an
    /// invite, in the same forms.
    @Sendable package func showFunnel(_ request: Request, context: AdminContext) async throws -> Response {
        let wanted = try Funnel.request(request.query, now: world.now(), policy)
        let width = try ChartPicture.width(request.query)
        let funnel = try await store.funnel(wanted, least: policy.least)
        return try ChartForm.response(
            to: request, context, json: FunnelResponse(funnel, wanted, policy),
            table: funnel.table.of(wanted.span)
        ) { funnel.picture(wanted, policy, $0, width: width) }
    }
}

extension Problem {
    fileprivate static let measureNotFound = Problem(
        .notFound, "measure_not_found", "There is no such measure: GET /v1/admin/numbers lists them.",
        field: "measure")
}
