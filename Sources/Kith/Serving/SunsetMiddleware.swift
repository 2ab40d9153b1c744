import HTTPTypes
import Hummingbird
import Kernel
import Web

/// Tells clients in each answer of the API when the service closes (RFC 8594), and where users read more.
struct SunsetMiddleware: RouterMiddleware {
    private let fields: HTTPFields

    /// Nil if the service does not close.
    init?(_ config: AppConfig) {
        guard let sunset = config.sunset else { return nil }
        var fields: HTTPFields = [.sunset: sunset.httpDate]
        fields[.link] = config.sunsetURL.map { "<\($0)>; rel=\"sunset\"" }
        self.fields = fields
    }

    func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        if context.form != .page {
            for field in fields { response.headers[field.name] = field.value }
        }
        return response
    }
}

// These are valid tokens.
// swift-format-ignore: NeverForceUnwrap
extension HTTPField.Name {
    static let sunset = HTTPField.Name("Sunset")!
    static let link = HTTPField.Name("Link")!
}
