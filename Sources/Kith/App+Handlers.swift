import Counts
import Events
import Graph
import HTTPServer
import Kernel
import Links
import Numbers
import Operations
import Pictures
import Rollout
import Visits
import Web
import Webhooks

/// The parts of the handlers.
extension App {
    var accessLog: AccessLog? {
        config.server.accessLog == .json ? AccessLog { LogOutput.standardError.write($0) } : nil
    }

    var app: AppListing { front.app }
    var cards: CardRenderer { front.cards }
    var users: UserStore { UserStore(db: db) }
    var friends: FriendStore { FriendStore(db: db) }
    var invites: InviteStore { InviteStore(db: db, limits: config.invites) }
    var landings: LinkFactsStore {
        LinkFactsStore(
            db: db, byName: config.invites.byName, followsHeldNames: config.app.vanityLinks)
    }
    func facts(countingFriends: Bool) -> LinkFactsStore {
        LinkFactsStore(
            db: db, byName: config.invites.byName, profile: User.Profile.shown(),
            countsFriends: countingFriends, followsHeldNames: config.app.vanityLinks)
    }
    var proof: InviteProof {
        InviteProof(
            invites: invites, landings: landings, claims: ClaimStore(db: db),
            guesses: guesses)
    }
    private var clickCounts: ClickStore { ClickStore(db: db, policy: config.counts) }
    private var guesses: CodeGuesses { CodeGuesses(limiter: rateLimiter) }
    var links: InviteLinks {
        var links = InviteLinks(config)
        links.others = linksByApp.values.flatMap { [$0] + $0.others }
        return links
    }

    /// Creates what visitors see of another app.
    func storefront(_ config: Config, hosts: [String]) throws -> AppPages {
        try AppPages(config, hosts: hosts, templates, rateLimiter) {
            CardRenderer(style: $0, beside: front.cards)
        }
    }

    var configRoutes: ConfigRoutes {
        ConfigRoutes(answer: ConfigResponse(config, languages: front.pages.languages.languages))
    }

    var devicesRoutes: DevicesRoutes {
        let platforms = AppPlatform.allCases.filter {
            ($0 == .ios ? front.associations.apple : front.associations.android) != nil
        }
        return DevicesRoutes(
            landing: landingRoutes, page: DevicesPages(pages: front.pages, platforms: Set(platforms)))
    }

    var landingRoutes: LandingRoutes {
        LandingRoutes(
            landings: facts(countingFriends: config.app.showsFriendCount),
            pictured: facts(countingFriends: false), proof: proof, links: links,
            avatarHosts: config.avatarHosts, pages: front.pages,
            contentSecurityPolicy: templates.contentSecurityPolicy, metrics: metrics,
            pictures: front.pictures, cards: cards, cardPictures: front.cardPictures,
            taps: taps, clicks: clicks, countryHeader: config.counts.countryHeader, experiments: experiments,
            app: linked.own,
            traces: traces, limiter: rateLimiter, world: world)
    }

    func deepLinkRoutes(_ domains: [LinkDomain]) -> DeepLinkRoutes {
        let pages = deepLinkPages
        return DeepLinkRoutes(
            resolution: resolution(of: domains), places: pages.places, pages: pages,
            flows: DeepLinkFlowPages(app: app, pages: front.pages, places: pages.places),
            clicks: clicks, countryHeader: config.counts.countryHeader, world: world)
    }

    private var deepLinkPages: DeepLinkPages {
        DeepLinkPages(
            app: app, pages: front.pages, templates: templates,
            places: LinkURLs(links: links, app: app), pictures: config.avatarHosts)
    }

    private func resolution(of domains: [LinkDomain]) -> LinkResolution {
        LinkResolution(
            domains: domains, project: front.project, links: links, facts: landings,
            store: ShortLinkStore(db: db), guesses: guesses)
    }

    private func resolution(ofApp key: String) -> LinkResolution? {
        guard let project = projectsByApp[key], let links = linksByApp[key] else { return nil }
        return LinkResolution(
            domains: project.domains, project: project, links: links, facts: landings,
            store: ShortLinkStore(db: db), guesses: guesses)
    }

    var shortLinkRoutes: ShortLinkRoutes {
        let store = ShortLinkStore(db: db)
        return ShortLinkRoutes(
            domains: front.project.domains, project: front.project,
            creation: creation(store), store: store,
            cursors: cursors, clicks: clickCounts, users: users,
            resolution: resolution(of: front.project.domains), recorder: clicks, pages: deepLinkPages)
    }

    private func creation(_ store: ShortLinkStore) -> ShortLinkCreation {
        ShortLinkCreation(domains: front.project.domains, store: store, secret: linkSecret, world: world)
    }

    var shortLinkPageRoutes: ShortLinkPageRoutes {
        ShortLinkPageRoutes(
            resolution: resolution(of: front.project.domains),
            pages: ShortLinkPages(
                app: app, pages: front.pages, places: LinkURLs(links: links, app: app)),
            pictures: front.pictures, store: ShortLinkStore(db: db), clicks: clickCounts, world: world)
    }

    var statisticsRoutes: StatisticsRoutes {
        StatisticsRoutes(clicks: clickCounts, invites: invites)
    }

    var firebaseLinkRoutes: FirebaseLinkRoutes {
        let store = ShortLinkStore(db: db)
        return FirebaseLinkRoutes(
            project: front.project, links: links, creation: creation(store), store: store,
            clicks: clickCounts)
    }

    var firebaseAttributionRoutes: FirebaseAttributionRoutes {
        FirebaseAttributionRoutes(
            resolution: resolution(of: front.project.domains), places: LinkURLs(links: links, app: app),
            installs: installs, traces: traces, proof: proof, apps: linked,
            linkClaims: LinkClaimStore(db: db), limiter: rateLimiter, clicks: clicks, world: world)
    }

    var usernameRoutes: UsernameRoutes {
        UsernameRoutes(
            users: users, usernames: UsernameStore(db: db, policy: config.usernames), cursors: cursors)
    }

    var installs: InstallStore { InstallStore(db: db) }
    var traces: VisitorTraces { VisitorTraces(salts: salts, policy: config.installs) }

    var installRoutes: InstallRoutes {
        InstallRoutes(
            users: users, installs: installs, traces: traces, proof: proof, links: linksByApp,
            deepLink: claimedDeepLink,
            linkClaims: LinkClaimStore(db: db),
            apps: linked, limiter: rateLimiter, clicks: clicks, experiments: experiments, world: world)
    }

    var inviteRoutes: InviteRoutes {
        InviteRoutes(
            users: users, invites: invites,
            acceptance: InviteAcceptance(proof: proof, friends: friends, limits: config.friends),
            links: links, cursors: cursors, world: world)
    }

    var signupRoutes: SignupRoutes {
        SignupRoutes(
            completion: SignupCompletion(store: SignupStore(db: db, limits: config.friends), proof: proof),
            policy: config.usernames, avatarHosts: config.avatarHosts, links: links, apps: linked,
            deepLink: claimedDeepLink, countryHeader: config.counts.countryHeader, world: world)
    }

    private var claimedDeepLink: DeepLinkReading {
        { url, text, app, address in
            try await resolution(ofApp: app)?.resolved(url, of: text, from: address)
        }
    }

    var userRoutes: UserRoutes {
        UserRoutes(
            users: users, profiles: ProfileStore(db: db, timesADay: config.usernames.changesPerDay),
            avatarHosts: config.avatarHosts, lists: FriendListStore(db: db),
            usernames: UsernameStore(db: db, policy: config.usernames))
    }

    var meRoutes: MeRoutes {
        MeRoutes(
            store: MeStore(db: db), invites: invites, links: links, usernames: config.usernames, world: world)
    }

    var friendRoutes: FriendRoutes {
        FriendRoutes(
            users: users, friends: friends, lists: FriendListStore(db: db), limits: config.friends,
            cursors: cursors)
    }

    var graphRoutes: FriendGraphRoutes {
        FriendGraphRoutes(
            graph: FriendGraphStore(db: db), changes: FriendSyncStore(db: db), limits: config.friends,
            cursors: cursors)
    }

    var eventRoutes: EventRoutes {
        EventRoutes(store: EventStore(db: db), feed: events, now: world.now)
    }

    var hostsRoutes: HostsRoutes {
        let mayBePrivate = isForDevelopment || config.webhooks.reach == .isAll
        return HostsRoutes(
            applied: AppliedStore(db: db), config: config, lookup: mayBePrivate ? nil : world.lookup)
    }

    var webhookRoutes: WebhookRoutes { WebhookRoutes(setup: WebhookSetup(db, config, world: world)) }

    /// The explainer of links: of this app first, then of the others.
    var explaining: LinkExplainer {
        let keys = [linked.own] + projectsByApp.keys.filter { $0 != linked.own }.sorted()
        return LinkExplainer(
            apps: keys.compactMap(resolution(ofApp:)), links: links, proof: proof, listing: app,
            store: ExplanationStore(db: db))
    }

    var explanationRoutes: ExplanationRoutes { ExplanationRoutes(explaining: explaining) }

    var timelineRoutes: TimelineRoutes {
        TimelineRoutes(timelines: TimelineStore(db: db), cursors: cursors)
    }

    var auditRoutes: AuditRoutes { AuditRoutes(audit: AuditStore(db: db), cursors: cursors) }

    var supportRoutes: SupportRoutes {
        let trees = InviteTreeStore(db: db)
        return SupportRoutes(
            users: users, records: UserRecordStore(db: db), names: NameRecordStore(db: db),
            codes: ExplanationStore(db: db), invites: invites,
            usernames: UsernameStore(db: db, policy: config.usernames),
            deletion: AccountDeletion(users: users, accounts: accountRoutes.accounts),
            undoing: InviteUndoing(trees: trees, friends: friends, limits: config.friends))
    }

    var asOfRoutes: AsOfRoutes {
        AsOfRoutes(
            names: NameRecordStore(db: db), friendships: FriendshipAsOfStore(db: db), world: world)
    }

    var exportRoutes: ExportRoutes { ExportRoutes(exports: ExportStore(db: db), userData: Self.userData) }

    var accountRoutes: AccountRoutes {
        AccountRoutes(
            users: users,
            accounts: AccountStore(
                db: db, limits: config.friends, names: config.usernames, userData: Self.userData))
    }

    var treeRoutes: InviteTreeRoutes {
        InviteTreeRoutes(trees: InviteTreeStore(db: db), cursors: cursors)
    }

    /// What adds visits and events to numbers.
    var counting: Counting {
        let domains = projectsByApp.values.flatMap(\.domains)
        return Counting(
            countStore,
            [
                ClickSource(store: clickCounts, domains: domains),
                EventSource(db: db, policy: config.counts, domains: domains), active,
                LevelSource(db: db, policy: config.counts),
            ])
    }

    var numbersRoutes: NumbersRoutes {
        NumbersRoutes(
            store: NumbersStore(
                db: db, domains: projectsByApp.values.flatMap(\.domains), apps: Set(projectsByApp.keys)),
            policy: config.counts, world: world)
    }

    var invitersRoutes: InvitersRoutes {
        InvitersRoutes(store: InvitersStore(db: db), policy: config.counts, world: world)
    }

    /// The routes of the operators' address.
    func opsRoutes(
        _ hosts: HostResponder, _ connections: OpenConnections, _ readiness: Readiness
    ) -> OpsRoutes {
        OpsRoutes(
            db: db, metrics: metrics, tokens: tokens, cards: cards, webhooks: webhookMetrics,
            offers: offerMetrics, rewards: rewardMetrics, counts: countMetrics, hosts: hosts,
            events: events, connections: connections, readiness: readiness)
    }

    var publicationRoutes: PublicationRoutes {
        PublicationRoutes(publisher: Publisher(db: db, config: config))
    }

    var draftRoutes: DraftRoutes {
        DraftRoutes(config: publicationRoutes, drafts: ConfigDraftStore(db: db))
    }

    var testDeviceRoutes: TestDeviceRoutes {
        TestDeviceRoutes(
            store: TestDeviceStore(db: db), drafts: ConfigDraftStore(db: db),
            publisher: publicationRoutes.publisher, experiments: ExperimentStore(db: db))
    }
}
