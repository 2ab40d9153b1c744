package import Charts
import Counts
import Foundation
import HTTPTypes
package import Hummingbird
package import Kernel
package import Web

/// The route `/v1/admin/client-versions`: which versions of apps call, and what they were answered.
package struct VersionRoutes {
    package let store: VersionCountStore
    package let policies: AppliedCache<AppliedPolicies>
    package let world: World

    package init(store: VersionCountStore, policies: AppliedCache<AppliedPolicies>, world: World) {
        self.store = store
        self.policies = policies
        self.world = world
    }

    /// `GET /v1/admin/client-versions?app&platform&from&to` lists the counts of each day.
    @Sendable package func show(_ request: Request, context: AdminContext) async throws
        -> VersionCountsResponse
    {
        let span = try DaySpan(request.query, now: world.now(), in: store.numbers.zone)
        let wanted = try Wanted(request.query)
        return VersionCountsResponse(span, try await counts(wanted, span))
    }

    /// `GET /v1/admin/client-versions.svg?app&platform&from&to&policy&hl&width` draws the counts: the
    /// share of each version, the answers, and how the target of a policy is adopted.
    @Sendable package func draw(_ request: Request, context: AdminContext) async throws -> ChartResponse {
        let span = try DaySpan(request.query, now: world.now(), in: store.numbers.zone)
        var wanted = try Wanted(request.query)
        let named = try await policy(request.query, wanted)
        let words = try ChartWords.asked(by: request)
        let width = try ChartPicture.width(request.query)
        wanted.app = wanted.app ?? named?.policy.when.app
        wanted.platform = wanted.platform ?? named?.policy.when.platform
        let picture = VersionPicture(
            days: span.days, counts: try await counts(wanted, span), target: named?.policy.target,
            named: try await policies.current().rules.versions(of: wanted.app, on: wanted.platform),
            start: named?.policy.when.from.map { DaySpan.day(of: $0, in: store.numbers.zone) },
            scope: [named?.key, wanted.platform?.rawValue, wanted.app].compactMap(\.self),
            words: words, width: width)
        return ChartResponse(picture.picture)
    }

    /// The app and platform whose counts are wanted. Nil for all.
    private struct Wanted {
        var app: String?
        var platform: AppPlatform?

        init(_ query: Query) throws(Problem) {
            app = try query.value("app")
            platform = try query.value("platform").map { text throws(Problem) in try .checked(text) }
        }
    }

    private func counts(_ wanted: Wanted, _ span: DaySpan) async throws -> [(
        count: VersionCount, number: Int
    )] {
        try await store.counts(from: span.first, to: span.last, app: wanted.app, platform: wanted.platform)
    }

    /// Returns the policy that the query names, or else the first that asks for an update of that app on that
    /// platform.
    private func policy(_ query: Query, _ wanted: Wanted) async throws -> PolicyRules.Named? {
        let policies = try await policies.current().rules.ordered.filter {
            $0.isFor(wanted.app, on: wanted.platform)
        }
        guard let key = try query.value("policy") else {
            return policies.first { $0.policy.target != nil && $0.policy.action > .none }
        }
        guard let named = policies.first(where: { $0.key == key }) else {
            throw Problem.invalid(
                "policy",
                "must be the key of a policy that is applied, for the app and platform that are asked for")
        }
        return named
    }
}

/// The counts of some days.
package struct VersionCountsResponse: ResponseEncodable {
    let from: String
    let to: String
    let counts: [Count]

    struct Count: Encodable {
        let day: String
        let app: String
        let platform: AppPlatform
        let version: String
        let action: UpdatePolicy.Action
        let count: Int
    }

    init(_ span: DaySpan, _ counts: [(count: VersionCount, number: Int)]) {
        (from, to) = (span.first, span.last)
        self.counts = counts.map { count, number in
            Count(
                day: count.day, app: count.app, platform: count.platform, version: count.version,
                action: count.action, count: number)
        }
    }
}
