import HTTPTypes
import Hummingbird

/// Routes of `/v1`, each with all that its query may hold, and whether it has a body. A call with anything else is refused before
/// its handler runs: a mistyped filter must not give everything.
struct APIRoutes<Context: JSONContext> {
    private let group: RouterGroup<Context>

    init(_ group: RouterGroup<Context>) {
        self.group = group
    }

    func get(
        _ path: RouterPath, query: [String] = [],
        use handler: @escaping App.Handler<Context, some ResponseGenerator>
    ) {
        group.get(path, use: checked(query, hasBody: false, handler))
    }

    func delete(
        _ path: RouterPath, query: [String] = [],
        use handler: @escaping App.Handler<Context, some ResponseGenerator>
    ) {
        group.delete(path, use: checked(query, hasBody: false, handler))
    }

    func post(
        _ path: RouterPath, query: [String] = [], hasBody: Bool = true,
        use handler: @escaping App.Handler<Context, some ResponseGenerator>
    ) {
        group.post(path, use: checked(query, hasBody: hasBody, handler))
    }

    func put(
        _ path: RouterPath, query: [String] = [], hasBody: Bool = true,
        use handler: @escaping App.Handler<Context, some ResponseGenerator>
    ) {
        group.put(path, use: checked(query, hasBody: hasBody, handler))
    }

    func patch(
        _ path: RouterPath, query: [String] = [],
        use handler: @escaping App.Handler<Context, some ResponseGenerator>
    ) {
        group.patch(path, use: checked(query, hasBody: true, handler))
    }

    private func checked<Answer>(
        _ names: [String], hasBody: Bool, _ handler: @escaping App.Handler<Context, Answer>
    ) -> App.Handler<Context, Answer> {
        { request, context in
            try request.query.require(only: names)
            if !hasBody { try await JSONCoder().requireNoFields(in: request) }
            return try await handler(request, context)
        }
    }
}
