import HTTPTypes
import Hummingbird

/// Takes the key of a call of Firebase's API from `?key=`, where its clients put it. `Authorization` counts if it is there.
struct QueryKeyMiddleware<Context: RequestContext>: RouterMiddleware {
    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard request.isForFirebase, request.headers[.authorization] == nil,
            let key = (try? request.query.value("key")) ?? nil, key.hasPrefix(APIKey.prefix),
            key.utf8.allSatisfy(\.isVisibleASCII)
        else { return try await next(request, context) }
        var head = request.head
        head.headerFields[.authorization] = "Bearer \(key)"
        return try await next(Request(head: head, body: request.body), context)
    }
}
