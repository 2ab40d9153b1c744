public import Hummingbird
public import Logging
public import Postgres
import ServiceLifecycle

/// The whole product on one database: wired here and nowhere else.
public struct App: Sendable {
    let config: Config
    let db: Database
    let metrics = Metrics()
    let tokens: TokenVerifier
    let world: World
    let app: AppListing
    let templates: Templates
    private let cursors: Cursors
    let rateLimiter: RateLimiter?

    public init(_ config: Config, db: Database, world: World = .live, logger: Logger) throws {
        self.config = config
        self.db = db
        self.world = world
        tokens = try TokenVerifier(config.auth, world: world, logger: logger)
        app = try AppListing(config.app)
        templates = try Templates(folder: config.app.templates)
        cursors = Cursors(keys: CursorKeyStore(db: db))
        rateLimiter =
            config.rateLimits.isOn ? RateLimiter(config.rateLimits, metrics: metrics, now: world.now) : nil
    }

    /// What `kith serve` would refuse at start, a line each, found without serving or connecting.
    public static func mistakes(in config: Config) async -> [String] {
        var mistakes: [String] = []
        func check(_ part: () throws -> Void) {
            do { try part() } catch { mistakes.append("\(error)") }
        }
        if config.database.url.isEmpty {
            mistakes.append("KITH_DATABASE_URL is not set")
        } else {
            check { _ = try config.database.open(Database.Configuration(url: config.database.url)) }
        }
        check { _ = try config.auth.rules() }
        check { _ = try config.auth.keys(.live) }
        if let mistake = await config.auth.mistakeInFile() { mistakes.append(mistake) }
        check { _ = try AppListing(config.app) }
        do {
            _ = try Templates(folder: config.app.templates)
        } catch {
            mistakes.append("KITH_TEMPLATES: \(error)")
        }
        return mistakes
    }

    /// Every route of the product.
    public func router() -> Router<AppContext> {
        let router = Router(context: AppContext.self, options: .autoGenerateHeadEndpoints)
        let (landing, allowedMethods) = (landingRoutes, AllowedMethods())
        router.add(middleware: MetricsMiddleware(metrics: metrics))
        router.add(
            middleware: ErrorMiddleware(page: landing.page(of:_:), allowedMethods: allowedMethods))
        if let rateLimiter {
            router.add(
                middleware: AddressLimitMiddleware(
                    limiter: rateLimiter, proxies: config.server.trustedProxies))
        }
        landing.add(to: router)

        let keys = KnownKeys(store: APIKeyStore(db: db), now: world.now)
        let v1 = router.group("v1").add(middleware: AuthenticationMiddleware(tokens: tokens, keys: keys))
        if let rateLimiter { v1.add(middleware: CallerLimitMiddleware(limiter: rateLimiter)) }
        addRoutes(forAnyone: v1.group(context: CallerContext.self))
        addRoutes(forOperators: v1.group(context: AdminContext.self))
        addRoutes(forUsers: v1.group(context: UserContext.self))

        allowedMethods.learn(router)
        return router
    }

    private func addRoutes(forAnyone group: RouterGroup<CallerContext>) {
        usernameRoutes.addAvailability(to: group)
        inviteRoutes.addResolve(to: group)
    }

    private func addRoutes(forOperators group: RouterGroup<AdminContext>) {
        accountRoutes.addSuspension(to: group)
        treeRoutes.addTree(to: group)
    }

    private func addRoutes(forUsers group: RouterGroup<UserContext>) {
        SignupRoutes(
            completion: SignupCompletion(store: SignupStore(db: db, limits: config.friends), proof: proof),
            policy: config.usernames, links: links
        ).add(to: group)
        UserRoutes(users: users, friends: friends, names: config.usernames).add(to: group)
        usernameRoutes.add(to: group)
        inviteRoutes.add(to: group)
        FriendRoutes(
            users: users, friends: friends, lists: FriendListStore(db: db), limits: config.friends,
            cursors: cursors
        ).add(to: group)
        FriendGraphRoutes(
            users: users, graph: FriendGraphStore(db: db), changes: FriendChangeStore(db: db),
            limits: config.friends, cursors: cursors
        ).add(to: group)
        accountRoutes.add(to: group)
        ExportRoutes(users: users, exports: ExportStore(db: db)).add(to: group)
        treeRoutes.add(to: group)
    }
}

/// What the groups of routes share.
extension App {
    private var users: UserStore { UserStore(db: db) }
    private var friends: FriendStore { FriendStore(db: db) }
    private var invites: InviteStore { InviteStore(db: db, limits: config.invites) }
    private var landings: LandingStore { LandingStore(db: db) }
    private var proof: InviteProof { InviteProof(invites: invites, landings: landings) }
    private var links: InviteLinks {
        InviteLinks(origin: config.server.linkURL, appScheme: app.urlScheme)
    }

    private var landingRoutes: LandingRoutes {
        LandingRoutes(
            landings: landings, invites: invites, links: links,
            pages: LandingPages(app: app, templates: templates),
            contentSecurityPolicy: templates.contentSecurityPolicy, metrics: metrics,
            guesses: CodeGuesses(limiter: rateLimiter), pictures: QRPictures(limiter: rateLimiter))
    }

    private var usernameRoutes: UsernameRoutes {
        UsernameRoutes(
            users: users, usernames: UsernameStore(db: db, policy: config.usernames), cursors: cursors)
    }

    private var inviteRoutes: InviteRoutes {
        InviteRoutes(
            users: users, invites: invites,
            acceptance: InviteAcceptance(proof: proof, friends: friends, limits: config.friends),
            links: links, cursors: cursors, world: world, guesses: CodeGuesses(limiter: rateLimiter))
    }

    private var accountRoutes: AccountRoutes {
        AccountRoutes(
            users: users,
            accounts: AccountStore(db: db, limits: config.friends, names: config.usernames))
    }

    private var treeRoutes: InviteTreeRoutes {
        InviteTreeRoutes(users: users, trees: InviteTreeStore(db: db), cursors: cursors)
    }
}

extension AppListing {
    fileprivate init(_ config: AppConfig) throws {
        try self.init(
            name: config.name, urlScheme: config.scheme, appStoreID: config.appStoreID,
            appStoreURL: config.appStoreURL, androidPackage: config.androidPackage,
            playStoreURL: config.playStoreURL)
    }
}
