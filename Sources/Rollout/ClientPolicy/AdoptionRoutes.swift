import Charts
import Counts
package import Hummingbird
package import Kernel
package import Web

/// The route `/v1/admin/client-versions/adoption`: how the releases of an app spread.
package struct AdoptionRoutes {
    let store: AdoptionStore
    let policies: AppliedCache<AppliedPolicies>
    let world: World

    package init(store: AdoptionStore, policies: AppliedCache<AppliedPolicies>, world: World) {
        (self.store, self.policies, self.world) = (store, policies, world)
    }

    package static let parameters = ["platform", "app", "versions", "days", "to"] + ChartForm.parameters

    /// How many days are looked at. Older ones may be months by now.
    private static let mostDays = 400

    /// `GET …?platform&app&versions&days&to` returns how releases of an app spread, as JSON or, if the caller
    /// rather wants that, as CSV or as a picture (`width`).
    @Sendable package func show(_ request: Request, context: AdminContext) async throws -> Response {
        let query = request.query
        let platform = try AppPlatform.checked(query.value("platform"))
        let app = try query.value("app")
        let (versions, followed) = try (Self.versions(query), Self.days(query))
        let span = try DaySpan(
            query, now: world.now(), in: store.numbers.zone,
            usual: min(store.numbers.days, Self.mostDays))
        let width = try ChartPicture.width(query)
        let rules = try await policies.current().rules
        var adoption = Adoption(
            try await store.counts(span, of: app, on: platform), days: span.days, versions: versions,
            named: rules.versions(of: app, on: platform), followed: followed)
        adoption.add(rules.ordered.filter { $0.isFor(app, on: platform) }, in: store.numbers.zone)
        let scope = [platform.rawValue, app].compactMap(\.self) + [store.numbers.zoneName]
        return try ChartForm.response(
            to: request, context,
            json: AdoptionResponse(adoption, of: app, on: platform, to: span.last, store.numbers),
            table: adoption.table.of(span)
        ) { [adoption] in adoption.picture(scope, $0, width: width) }
    }

    /// Reads `versions`: some with commas between them. Nil if it is absent.
    private static func versions(_ query: Query) throws(Problem) -> [VersionNumber]? {
        guard let text = try query.value("versions") else { return nil }
        let parts = text.split(separator: ",", maxSplits: 100, omittingEmptySubsequences: false)
        let versions = parts.compactMap { VersionNumber($0) }
        guard versions.count == parts.count, Set(versions).count == parts.count,
            parts.count <= Adoption.mostReleases
        else {
            throw .invalid(
                "versions",
                "must be up to \(Adoption.mostReleases) different versions, such as 3.10,3.13")
        }
        return versions
    }

    /// Reads `days`: 60 if it is absent.
    private static func days(_ query: Query) throws(Problem) -> Int {
        guard let text = try query.value("days") else { return 60 }
        guard let days = Int(text), (1...mostDays).contains(days) else {
            throw .invalid("days", "must be from 1 to \(mostDays)")
        }
        return days
    }
}
