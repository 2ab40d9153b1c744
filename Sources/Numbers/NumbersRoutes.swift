import Charts
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
    package static let parameters = NumbersRequest.parameters + ["width"]

    /// `GET /v1/admin/numbers` lists what there are numbers of.
    @Sendable package func list(_ request: Request, context: AdminContext) -> MeasuresResponse {
        MeasuresResponse(measures: Measure.all.map(MeasuresResponse.Measured.init))
    }

    /// `GET /v1/admin/numbers/{measure}?from&to&per&by&limit` with filters returns the numbers of a measure,
    /// as JSON or, if the caller rather wants that, as CSV or as a picture (`width`).
    @Sendable package func show(_ request: Request, context: AdminContext) async throws -> Response {
        guard let measure = context.parameters.get("measure").flatMap(Measure.named) else {
            throw Problem.measureNotFound
        }
        let wanted = try NumbersRequest(request.query, of: measure, now: world.now(), policy)
        let width = try ChartPicture.width(request.query)
        let numbers = try await store.numbers(of: measure, wanted, least: policy.least)
        let forms = ["application/json", "image/svg+xml", "text/csv"]
        switch forms.first(where: HeaderList(request.headers, .accept).accepts) {
        case "image/svg+xml":
            let words = ChartWords.chosen(acceptLanguage: request.headers[.acceptLanguage])
            let picture = numbers.picture(of: measure, wanted, policy, words, width: width)
            return ChartResponse(picture).response(from: request, context: context)
        case "text/csv":
            return Response(
                status: .ok,
                headers: [
                    .contentType: "text/csv; charset=utf-8", .cacheControl: "no-store",
                    .contentDisposition: "attachment; filename=\"\(measure.name).csv\"",
                ],
                body: ResponseBody(byteBuffer: ByteBuffer(string: numbers.csv)))
        default:
            return JSON.response(try JSON.data(NumbersResponse(numbers, of: measure, wanted, policy)))
        }
    }
}

extension Problem {
    fileprivate static let measureNotFound = Problem(
        .notFound, "measure_not_found", "There is no such measure: GET /v1/admin/numbers lists them.",
        field: "measure")
}
