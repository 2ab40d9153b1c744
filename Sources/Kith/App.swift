import Console
import Counts
import Events
import Graph
import Growth
import Kernel
import Links
package import Logging
import Pictures
package import Postgres
import Rollout
import ServiceLifecycle
import Visits
package import Web
import Webhooks

/// The whole product on one database. All wiring is here.
package struct App: Sendable {
    private(set) var config: Config
    let db: Database
    let metrics = Metrics(limits: RateLimit.settable.map(\.name))
    let tokens: TokenVerifier
    let world: World
    private(set) var front: AppPages
    let templates: Templates
    let cursors: Cursors
    let rateLimiter: RateLimiter?
    let sessions: SessionCache
    let attempts: SignInAttempts
    let openID: OpenIDProvider?
    let salts: SaltStore
    let active: ActiveSource
    let linkSecret: LinkSecretStore
    let taps: WriteQueue<Install>
    let clicks: ClickRecorder
    let policies: AppliedCache<AppliedPolicies>
    let experiments: ExperimentRecorder
    let testDevices: TestDeviceCache
    let versionCounts = VersionCountQueue()
    let events = EventFeed()
    let webhookMetrics = WebhookMetrics()
    let offerMetrics = OfferMetrics()
    let rewardMetrics = RewardMetrics()
    let countMetrics = CountMetrics()
    let countStore: CountStore
    private(set) var linked: LinkedApps
    /// The links of each app, by its key.
    private(set) var linksByApp: [String: InviteLinks]
    private(set) var projectsByApp: [String: LinkedProject]
    let isForDevelopment: Bool

    /// - Parameter isForDevelopment: whether it also serves `/dev/devices`, and the console's `/kit`.
    package init(
        _ config: Config, db: Database, world: World = .live, logger: Logger, isForDevelopment: Bool = false
    ) throws {
        self.config = config
        self.db = db
        self.world = world
        tokens = try TokenVerifier(config.auth, world: world, logger: logger)
        var templates = try config.app.templates.map { try Templates(folder: $0) } ?? .standard
        templates.allow(pictures: config.avatarHosts.sources)
        self.templates = templates
        self.isForDevelopment = isForDevelopment
        cursors = Cursors(keys: CursorKeyStore(db: db))
        try config.console.requireAll()
        sessions = SessionCache(store: SessionStore(db: db), now: world.now)
        attempts = SignInAttempts(store: SignInStore(db: db, world: world))
        openID = OpenIDProvider(config.console, world: world, logger: logger)
        salts = SaltStore(db: db, world: world, zone: config.counts.zone)
        active = ActiveSource(salts: salts, users: UserStore(db: db))
        linkSecret = LinkSecretStore(db: db)
        policies = AppliedCache(store: AppliedStore(db: db))
        testDevices = TestDeviceCache(
            devices: TestDeviceStore(db: db), drafts: ConfigDraftStore(db: db), applied: AppliedStore(db: db),
            sections: AppliedSections.kinds)
        experiments = ExperimentRecorder(
            ExperimentStore(db: db), AppliedStore(db: db), report: Self.lostClicks(logger),
            leftOut: Self.leftOutVisits(logger))
        countStore = CountStore(db: db, report: Self.unreadableSums(logger, countMetrics))
        let installs = InstallStore(db: db)
        taps = WriteQueue(key: { $0.token.inviter }) { try await installs.leave($0) }
        clicks = ClickRecorder(
            store: ClickStore(db: db, policy: config.counts), salts: salts, metrics: metrics,
            report: Self.lostClicks(logger))
        rateLimiter =
            config.rateLimits.isOn ? RateLimiter(config.rateLimits, metrics: metrics, now: world.now) : nil
        let faces = FaceCache(
            fetch: world.fetchPicture, now: world.now, report: Self.failingHosts(logger))
        front = try AppPages(config, templates, rateLimiter) { CardRenderer(style: $0, faces: faces) }
        linked = LinkedApps(own: LinkedApps.standard, settings: config.app)
        linksByApp = [LinkedApps.standard: InviteLinks(config)]
        projectsByApp = [LinkedApps.standard: front.project]
    }

    /// Returns the product as one of several apps that share users, limits and counters.
    func serving(
        _ config: Config, _ front: AppPages, _ linked: LinkedApps, _ links: [String: InviteLinks],
        _ projects: [String: LinkedProject]
    ) -> App {
        var app = self
        (app.config, app.front, app.linked) = (config, front, linked)
        (app.linksByApp, app.projectsByApp) = (links, projects)
        return app
    }
}
