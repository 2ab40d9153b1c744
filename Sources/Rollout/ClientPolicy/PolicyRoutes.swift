package import Counts
import Foundation
import HTTPTypes
package import Hummingbird
package import Kernel
import NIOCore
package import Web

/// The routes `/v1/policy`, and for operators `/v1/admin/policies`.
package struct PolicyRoutes {
    package let cache: AppliedCache<AppliedPolicies>
    package let applied: AppliedStore
    /// The signer. Nil without `KITH_SECRETS_KEY`.
    package let signer: PolicySigner?
    package let devices: TestDeviceCache
    package let counts: VersionCountQueue
    package let metrics: Metrics
    /// The host's app in each store.
    package let stores: [AppPlatform: StoredApp]
    package let apps: LinkedApps
    package let numbers: CountPolicy
    package let world: World

    package init(
        cache: AppliedCache<AppliedPolicies>, applied: AppliedStore, signer: PolicySigner?,
        devices: TestDeviceCache, counts: VersionCountQueue, metrics: Metrics,
        stores: [AppPlatform: StoredApp],
        apps: LinkedApps,
        numbers: CountPolicy, world: World
    ) {
        self.cache = cache
        self.applied = applied
        self.signer = signer
        self.devices = devices
        self.counts = counts
        self.metrics = metrics
        self.stores = stores
        self.apps = apps
        self.numbers = numbers
        self.world = world
    }

    /// An app as its store knows it.
    package struct StoredApp: Sendable {
        package let id: String?
        package let url: String?

        package init(id: String?, url: String?) {
            self.id = id
            self.url = url
        }
    }

    private static let mostSeconds = 300

    /// `GET /v1/policy?platform&app&version&build&os&language&country&installationId` tells an app what to do
    /// about a newer version. It reads no table, and counts the version.
    @Sendable package func show(_ request: Request, context: CallerContext) async throws -> Response {
        try await answer(request, context) { try JSON.data(response($0, $1, $2)) }
    }

    /// `GET /v1/policy/remote-config`, with the same parameters, gives the answer to apps that compare
    /// versions themselves.
    @Sendable package func showAsParameter(_ request: Request, context: CallerContext) async throws
        -> Response
    {
        try await answer(request, context) { decision, asking, _ in
            try JSON.data(RemoteConfigResponse(decision, for: asking))
        }
    }

    private func answer(
        _ request: Request, _ context: CallerContext,
        _ body: (PolicyRules.Decision, AskingApp, AppliedCache<AppliedPolicies>.Applied) throws -> [UInt8]
    ) async throws -> Response {
        let asking = try AskingApp(
            request.query, country: context.country(of: request, by: numbers.countryHeader), at: world.now())
        var known = try await cache.current()
        let device = self.device(asking, context)
        if let device, let rules = devices.rules(AppliedPolicies.self, for: device) {
            known.rules = rules
        }
        let decision = known.rules.decide(for: asking)
        if device == nil { note(asking, decision.action, known.rules) }
        let left = PolicyResponse.expiry(of: decision, at: asking.at).timeIntervalSince(asking.at)
        var response = try signed(
            body(decision, asking, known), for: request,
            seconds: device == nil ? min(Self.mostSeconds, Int(left)) : 0)
        response.headers[.kithTestDevice] = device?.name
        return response
    }

    private func device(_ asking: AskingApp, _ context: CallerContext) -> TestDevice? {
        guard !devices.isEmpty, let unit = asking.id.flatMap({ ExperimentUnit($0) }) else { return nil }
        return devices.device(unit.id, isOfApp: context.isOfApp)
    }

    private func response(
        _ decision: PolicyRules.Decision, _ asking: AskingApp, _ known: AppliedCache<AppliedPolicies>.Applied
    ) -> PolicyResponse {
        let store = asking.platform.flatMap { stores[$0] }
        // An app other than the store's has its own page there.
        let url = asking.app == nil || asking.app == store?.id ? store?.url : nil
        return PolicyResponse(decision, for: asking, url: url, revision: known.version)
    }

    private func note(_ asking: AskingApp, _ action: UpdatePolicy.Action, _ rules: PolicyRules) {
        metrics.countPolicyAnswer(asking.version == nil ? "unreadable" : action.rawValue)
        guard let platform = asking.platform else { return }
        let isKnown = { id in
            apps.knows(platform, id)
                || rules.ordered.contains { $0.policy.when.platform == platform && $0.policy.when.app == id }
        }
        let own = stores[platform]?.id ?? ""
        let app = asking.app.map { isKnown($0) ? $0 : VersionCount.other } ?? own
        let count = VersionCount(
            day: DaySpan.day(of: asking.at, in: numbers.zone), app: app, platform: platform,
            version: asking.version?.description ?? VersionCount.unreadable, action: action)
        let installation = asking.id.map {
            Installation(id: UUID(hashing: [Array($0.utf8)]), system: asking.system)
        }
        counts.add(count, VersionCalls(number: 1, installations: Set([installation].compactMap(\.self))))
    }

    private func signed(_ body: [UInt8], for request: Request, seconds: Int) throws -> Response {
        let tag = ETag.of(body)
        var response = request.has(tag) ? Response(status: .notModified) : JSON.response(body)
        response.headers[.eTag] = tag
        response.headers[.cacheControl] = "private, max-age=\(seconds)"
        response.headers[.kithSignature] = try signer?.signature(of: body)
        return response
    }

    /// `GET /v1/admin/policies` shows the policies that `kith apply` has set up. Servers follow within
    /// seconds.
    @Sendable package func list(_ request: Request, context: AdminContext) async throws -> PoliciesResponse {
        let found = try await applied.read(AppliedPolicies.self) ?? .init()
        return PoliciesResponse(
            version: found.version, publicKey: signer?.publicKey, policies: found.content.policies)
    }

    /// `GET /v1/admin/policies/evaluate`, with the parameters of `GET /v1/policy` and `at`, shows what an app
    /// would be answered, and why. It counts nothing.
    @Sendable package func evaluate(_ request: Request, context: AdminContext) async throws
        -> PolicyTrialResponse
    {
        let at = try request.query.time("at") ?? world.now()
        let asking = try AskingApp(request.query, at: at)
        let known = try await cache.current()
        let answer = response(known.rules.decide(for: asking), asking, known)
        return PolicyTrialResponse(answer, known.rules, for: asking)
    }
}
