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

    public init(_ config: Config, db: Database, world: World = .live, logger: Logger) throws {
        self.config = config
        self.db = db
        self.world = world
        tokens = try TokenVerifier(config.auth, world: world, logger: logger)
        app = try AppListing(config.app)
        templates = try Templates(folder: config.app.templates)
    }

    /// What `kith serve` would refuse at start, a line each, found without serving or connecting.
    public static func mistakes(in config: Config) -> [String] {
        var mistakes: [String] = []
        func check(_ part: () throws -> Void) {
            do { try part() } catch { mistakes.append("\(error)") }
        }
        if config.database.url.isEmpty { mistakes.append("KITH_DATABASE_URL is not set") }
        check { _ = try config.auth.rules() }
        check { _ = try config.auth.keys(.live) }
        check { _ = try AppListing(config.app) }
        check { _ = try Templates(folder: config.app.templates) }
        return mistakes
    }

    /// Every route of the product, in one table.
    public func router() -> Router<AppContext> {
        let links = InviteLinks(origin: config.server.linkURL, appScheme: app.urlScheme)
        let usernames = UsernameStore(db: db, policy: config.usernames)
        let (users, friends, invites) = (UserStore(db: db), FriendStore(db: db), InviteStore(db: db))
        let landings = LandingStore(db: db)
        let cursors = Cursors(keys: CursorKeyStore(db: db))
        let proof = InviteProof(invites: invites, landings: landings)

        let landingRoutes = LandingRoutes(
            landings: landings, invites: invites, links: links,
            pages: LandingPages(app: app, templates: templates),
            contentSecurityPolicy: templates.contentSecurityPolicy, metrics: metrics)
        let usernameRoutes = UsernameRoutes(users: users, usernames: usernames)
        let inviteRoutes = InviteRoutes(
            users: users, invites: invites,
            acceptance: InviteAcceptance(proof: proof, friends: friends, limits: config.friends),
            links: links, cursors: cursors, world: world)
        let signupRoutes = SignupRoutes(
            completion: SignupCompletion(store: SignupStore(db: db, limits: config.friends), proof: proof),
            policy: config.usernames, links: links)

        let router = Router(context: AppContext.self, options: .autoGenerateHeadEndpoints)
        let allowedMethods = AllowedMethods()
        router.add(middleware: MetricsMiddleware(metrics: metrics))
        router.add(
            middleware: ErrorMiddleware(notFoundPage: landingRoutes.notFound, allowedMethods: allowedMethods))
        landingRoutes.add(to: router)

        let v1 = router.group("v1").add(
            middleware: AuthenticationMiddleware(
                tokens: tokens, keys: KnownKeys(store: APIKeyStore(db: db), now: world.now)))
        let anyone = v1.group(context: CallerContext.self)
        usernameRoutes.addAvailability(to: anyone)
        inviteRoutes.addResolve(to: anyone)

        let accounts = AccountRoutes(users: users, accounts: AccountStore(db: db, limits: config.friends))
        let trees = InviteTreeRoutes(users: users, trees: InviteTreeStore(db: db), cursors: cursors)
        let admin = v1.group(context: AdminContext.self)
        accounts.addSuspension(to: admin)
        trees.addTree(to: admin)

        let user = v1.group(context: UserContext.self)
        signupRoutes.add(to: user)
        UserRoutes(users: users, friends: friends).add(to: user)
        usernameRoutes.add(to: user)
        inviteRoutes.add(to: user)
        FriendRoutes(
            users: users, friends: friends, lists: FriendListStore(db: db), limits: config.friends,
            cursors: cursors
        ).add(to: user)
        FriendGraphRoutes(
            users: users, graph: FriendGraphStore(db: db), changes: FriendChangeStore(db: db),
            cursors: cursors
        ).add(to: user)

        accounts.add(to: user)
        ExportRoutes(users: users, exports: ExportStore(db: db)).add(to: user)
        trees.add(to: user)

        allowedMethods.learn(router)
        return router
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
