import Hummingbird
public import Logging
public import Postgres
import ServiceLifecycle

/// The whole product on one database; the only wiring.
public struct App: Sendable {
    private(set) var config: Config
    let db: Database
    let metrics = Metrics(limits: RateLimit.settable.map(\.name))
    let tokens: TokenVerifier
    let world: World
    private(set) var front: Storefront
    let templates: Templates
    let cursors: Cursors
    let rateLimiter: RateLimiter?
    let salts: VisitorSaltStore
    let linkSecret: LinkSecretStore
    let taps: WriteQueue<Install>
    let clicks: ClickRecorder
    let policies: AppliedCache<AppliedPolicies>
    let experiments: ExperimentRecorder
    let versionCounts = VersionCountQueue()
    let events = EventFeed()
    let webhookMetrics = WebhookMetrics()
    let offerMetrics = OfferMetrics()
    let rewardMetrics = RewardMetrics()
    private(set) var linked: LinkedApps
    /// The links of each app, by its key.
    private(set) var linksByApp: [String: InviteLinks]
    private(set) var projectsByApp: [String: LinkedProject]
    let isForDevelopment: Bool

    /// - Parameter isForDevelopment: whether it serves `/dev/devices`, too.
    public init(
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
        salts = VisitorSaltStore(db: db, world: world)
        linkSecret = LinkSecretStore(db: db)
        policies = AppliedCache(store: AppliedStore(db: db))
        experiments = ExperimentRecorder(
            ExperimentStore(db: db), AppliedStore(db: db), report: Self.lostClicks(logger),
            leftOut: Self.leftOutVisits(logger))
        let installs = InstallStore(db: db)
        taps = WriteQueue(key: { $0.token.inviter }) { try await installs.leave($0) }
        clicks = ClickRecorder(
            store: ClickStore(db: db, policy: config.clicks), salts: salts, metrics: metrics,
            report: Self.lostClicks(logger))
        rateLimiter =
            config.rateLimits.isOn ? RateLimiter(config.rateLimits, metrics: metrics, now: world.now) : nil
        let faces = FaceCache(
            fetch: world.fetchPicture, now: world.now, report: Self.failingHosts(logger))
        front = try Storefront(config, templates, rateLimiter) { CardRenderer(style: $0, faces: faces) }
        linked = LinkedApps(own: LinkedApps.standard, settings: config.app)
        linksByApp = [LinkedApps.standard: InviteLinks(config)]
        projectsByApp = [LinkedApps.standard: front.project]
    }

    /// The same product as one of several apps that share users, limits and counters.
    func serving(
        _ config: Config, _ front: Storefront, _ linked: LinkedApps, _ links: [String: InviteLinks],
        _ projects: [String: LinkedProject]
    ) -> App {
        var app = self
        (app.config, app.front, app.linked) = (config, front, linked)
        (app.linksByApp, app.projectsByApp) = (links, projects)
        return app
    }

    /// The product's router: its middleware, then every route.
    func router() -> Router<AppContext> {
        router(hasAPI: true) { router, landing in
            addRoutes(forEverybody: router, landing)
            // A domain with its whole host has a router of its own.
            addRoutes(
                forDeepLinks: router,
                front.project.domains.filter { front.linkAssociations[$0.origin] == nil })
            addRoutes(forDevelopers: router, landing)
        }
    }

    /// - Parameter hasAPI: whether it has the API, too.
    func router(
        hasAPI: Bool = false, _ addRoutes: (Router<AppContext>, LandingRoutes) -> Void
    ) -> Router<AppContext> {
        let router = Router(context: AppContext.self, options: .autoGenerateHeadEndpoints)
        let (landing, routes, keyedPaths) = (landingRoutes, RouteTable(), KeyedPaths())
        if let sunset = SunsetMiddleware(config.app, routes) { router.add(middleware: sunset) }
        router.add(middleware: KeyPlaceMiddleware(routes: routes))
        if let accessLog {
            router.add(middleware: AccessLogMiddleware(log: accessLog, routes: routes))
        }
        router.add(middleware: MetricsMiddleware(metrics: metrics, routes: routes))
        if hasAPI { router.add(middleware: CORSMiddleware(origins: config.app.corsOrigins, routes: routes)) }
        if db.hasStandbys { router.add(middleware: WriteTokenMiddleware(db: db)) }
        router.add(
            middleware: ErrorMiddleware(
                form: { problem, request, id in
                    switch routes.api(of: request) {
                    case .firebase: FirebaseErrorResponse.answer(to: problem)
                    case .kith: nil
                    case nil: landing.page(of: problem, request, id: id)
                    }
                }, routes: routes))
        if let rateLimiter {
            router.add(
                middleware: AddressLimitMiddleware(
                    limiter: rateLimiter, proxies: config.server.trustedProxies, routes: routes,
                    keyedPaths: keyedPaths))
        }
        addRoutes(router, landing)
        if hasAPI {
            routes.learn(router, .kith) { self.addRoutes(forAnybody: router) }
            keyedPaths.learn(router) { self.addRoutes(forAPI: router, routes) }
        }
        routes.learn(router)
        return router
    }

    private func addRoutes(forAPI router: Router<AppContext>, _ routes: RouteTable) {
        let keys = APIKeyCache(store: APIKeyStore(db: db), now: world.now)
        func group(_ path: RouterPath) -> RouterGroup<AppContext> {
            let group = router.group(path)
                .add(middleware: AuthenticationMiddleware(tokens: tokens, keys: keys))
            if let rateLimiter { group.add(middleware: CallerLimitMiddleware(limiter: rateLimiter)) }
            return group.add(middleware: OperatorCallMiddleware(audit: AuditStore(db: db)))
        }
        addRoutes(forLinkPages: group("links").group(context: CallerContext.self))
        routes.learn(router, .firebase) {
            addRoutes(forFirebase: group("fdl/v1").group(context: CallerContext.self))
        }
        routes.learn(router, .kith) { addRoutes(forKeysAndUsers: group("v1")) }
    }

    private func addRoutes(forKeysAndUsers v1: RouterGroup<AppContext>) {
        addRoutes(forCallers: APIRoutes(v1.group(context: CallerContext.self)))
        let v1Users = v1.group(context: UserContext.self)
            .add(middleware: AccountErrorMiddleware(users: users))
        addRoutes(forUsers: APIRoutes(v1Users))
        addRoutes(
            forReaders: APIRoutes(v1Users.group().add(middleware: ConcurrentAccountMiddleware(users: users))))
        addRoutes(
            forAccounts: APIRoutes(
                v1Users.group().add(middleware: AccountMiddleware(users: users))
                    .group(context: AccountContext.self)))
        addRoutes(forOperators: APIRoutes(v1.group(context: AdminContext.self)))
        addRoutes(forSupport: APIRoutes(v1.group(context: AdminContext.self)))
    }
}

/// Every route of the product, grouped by who may call it. Those of the operators' address are in `OpsRoutes.swift`. A
/// standby may answer what `link` and `reading` hold; what `whileOpen` holds ends with the service.
extension App {
    /// Pages and pictures, without credentials.
    private func addRoutes(forEverybody router: Router<AppContext>, _ landing: LandingRoutes) {
        router.get("users/{username}", use: link(whileOpen(landing.land)))
        router.get("users/{username}/qr.svg", use: link(whileOpen(landing.svg)))
        router.get("users/{username}/qr.png", use: link(whileOpen(landing.png)))
        router.get("users/{username}/card.jpg", use: link(whileOpen(landing.showCard)))
        // These leave a tap, so they need the primary anyway, where a fresh link is never missing.
        router.get("users/{username}/app-store", use: whileOpen(landing.appStore))
        router.get("users/{username}/play-store", use: whileOpen(landing.playStore))
        router.get("@{username}", use: link(whileOpen(landing.vanity)))
        router.get("{code}", use: link(whileOpen(landing.short)))
        router.get("{code}/qr.svg", use: link(whileOpen(landing.shortSVG)))
        router.get("{code}/qr.png", use: link(whileOpen(landing.shortPNG)))
        addRoutes(forEveryHost: router, front.associations, landing)
        addRoutes(forStart: router)
    }

    /// The API without credentials: the settings that apps need, and what Apple sends, which signs it.
    private func addRoutes(forAnybody router: Router<AppContext>) {
        APIRoutes(router.group()).get(
            RouterPath(ConfigRoutes.path),
            use: ConfigRoutes(answer: ConfigResponse(config, languages: front.pages.languages.languages)).show
        )
        addRoutes(forHooks: router)
    }

    /// `/v1` for a user, with or without an account, and for any key.
    private func addRoutes(forCallers v1: APIRoutes<CallerContext>) {
        v1.get("usernames/{username}", use: reading(usernameRoutes.availability))
        v1.post("invites/resolve", use: whileOpen(inviteRoutes.resolve))
        v1.post("installs/claim", use: whileOpen(installRoutes.claim))
        v1.post("links", use: whileOpen(shortLinkRoutes.create))
        v1.post("links/resolve", use: shortLinkRoutes.resolve)
        v1.get("links", query: ["domain", "after", "limit"], use: shortLinkRoutes.list)
        v1.get("links/{code}", query: ["domain"], use: shortLinkRoutes.show)
        v1.patch("links/{code}", query: ["domain"], use: shortLinkRoutes.change)
        v1.delete("links/{code}", query: ["domain"], use: shortLinkRoutes.delete)
        v1.get("links/{code}/stats", query: ["domain", "days"], use: shortLinkRoutes.statistics)
        addRoutes(forPolicies: v1)
        addRoutes(forExperiments: v1)
        addRoutes(forPurchases: v1)
        addRoutes(forRewards: v1)
    }

    /// What people see of short links who have an operator's key.
    private func addRoutes(forLinkPages links: RouterGroup<CallerContext>) {
        links.get("**", use: linkPageRoutes.show)
    }

    /// The calls of Firebase Dynamic Links, for keys.
    private func addRoutes(forFirebase fdl: RouterGroup<CallerContext>) {
        fdl.post("shortLinks", use: whileOpen(firebaseLinkRoutes.create))
        fdl.post("managedShortLinks:create", use: whileOpen(firebaseLinkRoutes.createManaged))
        fdl.get("{dynamicLink}/linkStats", use: firebaseLinkRoutes.statistics)
        fdl.post("installAttribution", use: whileOpen(firebaseAttributionRoutes.install))
        fdl.post("reopenAttribution", use: firebaseAttributionRoutes.reopen)
    }

    /// `/v1` for a user, or a key that acts for one. Each handler checks the account itself, mostly in the statement that
    /// writes or reads.
    private func addRoutes(forUsers v1: APIRoutes<UserContext>) {
        v1.post("signup", use: whileOpen(signupRoutes.signUp, afterwards: signupRoutes.repeatSignUp))
        v1.delete("me", use: accountRoutes.delete)

        v1.get("friends", query: ["order", "prefix", "after", "limit"], use: reading(friendRoutes.list))
        v1.put("friends/{uid}", hasBody: false, use: whileOpen(friendRoutes.act(.want)))
        v1.delete("friends/{uid}", use: friendRoutes.act(.unwant))
        v1.put("blocks/{uid}", hasBody: false, use: friendRoutes.act(.block))
        v1.delete("blocks/{uid}", use: friendRoutes.act(.unblock))
    }

    /// `/v1` for a user with an active account, which is read while the handler reads its answer.
    private func addRoutes(forReaders v1: APIRoutes<UserContext>) {
        v1.get("me/changes", query: ["after", "limit"], use: graphRoutes.listChanges)
        v1.get("friends/{uid}/mutual", query: ["after", "limit"], use: reading(graphRoutes.mutual))
        v1.get("friends/{uid}/path", use: reading(graphRoutes.path))
        v1.get("suggestions", query: ["limit"], use: reading(graphRoutes.suggestions))
    }

    /// `/v1` for a user with an active account, which the handler gets.
    private func addRoutes(forAccounts v1: APIRoutes<AccountContext>) {
        v1.get("me", use: meRoutes.show)
        v1.patch("me", use: userRoutes.update)
        v1.get("me/export", use: exportRoutes.export)
        v1.get("me/stream", query: ["after"], use: eventRoutes.stream)
        v1.put("me/username", use: whileOpen(usernameRoutes.rename))
        v1.get("me/usernames", query: ["after", "limit"], use: reading(usernameRoutes.history))
        v1.get("users", query: ["username"], use: reading(userRoutes.find))
        v1.post("users", use: userRoutes.lookUp)
        v1.get("users/{uid}", use: reading(userRoutes.show))

        v1.get("me/invite", use: inviteRoutes.permanent)
        v1.post("me/invite/rotate", hasBody: false, use: whileOpen(inviteRoutes.rotate))
        v1.get("me/invitees", query: ["after", "limit"], use: reading(treeRoutes.invitees))
        v1.get("me/invite/stats", query: ["days"], use: reading(statisticsRoutes.ofAll))
        v1.get("invites/{code}/stats", query: ["days"], use: reading(statisticsRoutes.ofOne))
        v1.post("invites", use: whileOpen(inviteRoutes.issue))
        v1.get("invites", query: ["after", "limit"], use: reading(inviteRoutes.list))
        v1.get("invites/{code}", use: reading(inviteRoutes.show))
        v1.get("invites/{code}/joined", query: ["after", "limit"], use: reading(inviteRoutes.joined))
        v1.patch("invites/{code}", use: whileOpen(inviteRoutes.change))
        v1.delete("invites/{code}", use: inviteRoutes.revoke)
        v1.post("invites/accept", use: whileOpen(inviteRoutes.accept))
        addRoutes(forOffers: v1)

        v1.get("requests", query: ["direction", "after", "limit"], use: reading(friendRoutes.requests))
        v1.post("requests", use: whileOpen(friendRoutes.ask))
        v1.get("blocks", query: ["after", "limit"], use: reading(friendRoutes.blocks))
        v1.delete("suggestions/{uid}", use: graphRoutes.dismiss)
    }

    /// `/v1` for an admin key that acts for no user.
    private func addRoutes(forOperators v1: APIRoutes<AdminContext>) {
        v1.get("admin/apps", use: AppsRoutes(applied: AppliedStore(db: db)).show)
        addRoutes(forWebhooks: v1)
        addRoutes(forOffers: v1)
        addRoutes(forPolicies: v1)
        addRoutes(forExperiments: v1)
        v1.put("admin/users/{uid}/suspension", use: accountRoutes.suspend)
        v1.delete("admin/users/{uid}/suspension", query: ["reason"], use: accountRoutes.restore)
        v1.get("admin/users/{uid}/invitees", query: ["after", "limit"], use: treeRoutes.tree)
        v1.put("admin/users/{uid}/invite-freeze", use: treeRoutes.freeze)
        v1.delete("admin/users/{uid}/invite-freeze", query: ["reason"], use: treeRoutes.unfreeze)
    }
}
