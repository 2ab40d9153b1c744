package import Counts
package import Hummingbird
package import Kernel
package import Web

/// The routes `/v1/admin/inviters`: who brings people.
package struct InvitersRoutes {
    let store: InvitersStore
    let policy: CountPolicy
    let world: World

    package init(store: InvitersStore, policy: CountPolicy, world: World) {
        (self.store, self.policy, self.world) = (store, policy, world)
    }

    /// `GET /v1/admin/inviters?from&to&limit` lists by whose invites most signed up in a span of days.
    @Sendable package func list(_ request: Request, context: AdminContext) async throws -> InvitersResponse {
        let span = try DaySpan(request.query, now: world.now(), in: policy.zone, most: 3660)
            .withWholeMonths(before: policy.firstDay(now: world.now()))
        let most = try await store.most(span, limit: Self.limit(request.query))
        return try await InvitersResponse(from: span.first, to: span.last, inviters: store.shown(most))
    }

    /// `GET /v1/admin/inviters/growing?minutes&limit` lists who began what grows in the tree of invites
    /// fastest, in the last minutes: an hour, or up to a day. Of very many sign-ups it counts the newest.
    @Sendable package func listGrowing(
        _ request: Request, context: AdminContext
    ) async throws -> InvitersResponse {
        let query = request.query
        let rows = try await store.growing(minutes: Self.minutes(query), limit: Self.limit(query))
        return InvitersResponse(from: nil, to: nil, inviters: rows)
    }

    static func minutes(_ query: Query) throws(Problem) -> Int {
        guard let text = try query.value("minutes") else { return 60 }
        guard let minutes = Int(text), (1...1440).contains(minutes) else {
            throw .invalid("minutes", "must be from 1 to 1440")
        }
        return minutes
    }

    static func limit(_ query: Query) throws(Problem) -> Int {
        guard let text = try query.value("limit") else { return 20 }
        guard let limit = Int(text), (1...100).contains(limit) else {
            throw .invalid("limit", "must be from 1 to 100")
        }
        return limit
    }
}
