import Hummingbird
import Kernel

/// The route `/v1/admin/apps`.
struct AppsRoutes {
    let applied: AppliedStore

    struct AppsResponse: ResponseEncodable {
        let version: Int64
        let apps: [String: AppliedApp]
    }

    /// `GET /v1/admin/apps` shows the apps that `kith apply` has set up. Servers follow within seconds.
    @Sendable func show(_ request: Request, context: AdminContext) async throws -> AppsResponse {
        let found = try await applied.read(AppliedApps.self) ?? .init()
        return AppsResponse(version: found.version, apps: found.content.apps)
    }
}
