package import Counts
import HTTPTypes
package import Hummingbird
package import Kernel
import NIOCore
package import Web

/// The routes `/v1/admin/numbers`: how often something happened, over time.
package struct NumbersRoutes {
    let store: NumbersStore
    let policy: CountPolicy
    let world: World

    package init(store: NumbersStore, policy: CountPolicy, world: World) {
        (self.store, self.policy, self.world) = (store, policy, world)
    }

    /// The parameters of `show`.
    package static let parameters = NumbersRequest.parameters

    /// `GET /v1/admin/numbers` lists what there are numbers of.
    @Sendable package func list(_ request: Request, context: AdminContext) -> MeasuresResponse {
        MeasuresResponse(measures: Measure.all.map(MeasuresResponse.Measured.init))
    }

    /// `GET /v1/admin/numbers/{measure}?from&to&per&by&limit` with filters returns the numbers of a measure,
    /// as JSON or, if the caller rather wants that, as CSV.
    @Sendable package func show(_ request: Request, context: AdminContext) async throws -> Response {
        guard let measure = context.parameters.get("measure").flatMap(Measure.named) else {
            throw Problem.measureNotFound
        }
        let wanted = try NumbersRequest(request.query, of: measure, now: world.now(), policy)
        let numbers = try await numbers(of: measure, wanted)
        let accepted = HeaderList(request.headers, .accept)
        guard accepted.accepts("text/csv"), !accepted.accepts("application/json") else {
            return JSON.response(try JSON.data(NumbersResponse(numbers, of: measure, wanted, policy)))
        }
        return Response(
            status: .ok,
            headers: [
                .contentType: "text/csv; charset=utf-8", .cacheControl: "no-store",
                .contentDisposition: "attachment; filename=\"\(measure.name).csv\"",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(string: numbers.csv)))
    }
}

extension NumbersRoutes {
    private func numbers(of measure: Measure, _ wanted: NumbersRequest) async throws -> Numbers {
        let dimension = measure.counting == .durations ? .seconds : wanted.by ?? wanted.only?.dimension
        var numbers = Numbers(
            try await store.sums(of: measure, wanted, by: dimension), wanted,
            of: measure, least: policy.least)
        if let base = measure.base.flatMap(Measure.named) {
            let all = try await store.sums(of: base, wanted.ofEverything, by: nil)
            numbers.base = Numbers(all, wanted.ofEverything, of: base, least: policy.least).total
        }
        return numbers
    }
}

extension Problem {
    fileprivate static let measureNotFound = Problem(
        .notFound, "measure_not_found", "There is no such measure: GET /v1/admin/numbers lists them.",
        field: "measure")
}
