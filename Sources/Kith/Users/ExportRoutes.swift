import HTTPTypes
import Hummingbird

/// `/v1/me/export`.
struct ExportRoutes {
    let users: UserStore
    let exports: ExportStore

    func add(to group: RouterGroup<UserContext>) {
        group.get("me/export", use: export)
    }

    /// `GET /v1/me/export` is one document with all of the caller's data.
    @Sendable func export(_ request: Request, context: UserContext) async throws -> Response {
        _ = try await users.requireActive(context.userID)
        guard let export = try await exports.export(context.userID) else { throw Problem.userNotFound }
        var response = try JSON.response(export)
        response.headers[.contentDisposition] = #"attachment; filename="kith-export.json""#
        return response
    }
}
