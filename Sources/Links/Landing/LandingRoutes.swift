import Foundation
package import Graph
import HTTPTypes
package import Hummingbird
package import Kernel
import NIOCore
package import Pictures
package import Rollout
package import Visits
package import Web

/// The routes for browsers: `/users/{username}`, its QR pictures, and short codes.
package struct LandingRoutes {
    /// The reads for pages, with users' pictures, and with the number of their friends if the operator shows
    /// it.
    package let landings: LinkFactsStore
    /// The reads for cards and QR codes.
    package let pictured: LinkFactsStore
    package let proof: InviteProof
    package let links: InviteLinks
    /// `KITH_VANITY_LINKS`.
    package let avatarHosts: AvatarHosts
    package let pages: LandingPages
    package let contentSecurityPolicy: String
    package let metrics: Metrics
    package let pictures: PictureCache<QRPicture>
    package let cards: CardRenderer
    package let cardPictures: PictureCache<Card>
    package let taps: WriteQueue<Install>
    package let clicks: ClickRecorder
    package let countryHeader: String?
    package let experiments: ExperimentRecorder
    /// The key of the app that is shown.
    package let app: String
    package let traces: VisitorTraces
    /// The limiter. Nil if limits are off.
    package let limiter: RateLimiter?
    package let world: World

    package init(
        landings: LinkFactsStore, pictured: LinkFactsStore, proof: InviteProof, links: InviteLinks,
        avatarHosts: AvatarHosts, pages: LandingPages, contentSecurityPolicy: String, metrics: Metrics,
        pictures: PictureCache<QRPicture>, cards: CardRenderer, cardPictures: PictureCache<Card>,
        taps: WriteQueue<Install>, clicks: ClickRecorder, countryHeader: String?,
        experiments: ExperimentRecorder, app: String, traces: VisitorTraces, limiter: RateLimiter?,
        world: World
    ) {
        self.landings = landings
        self.pictured = pictured
        self.proof = proof
        self.links = links
        self.avatarHosts = avatarHosts
        self.pages = pages
        self.contentSecurityPolicy = contentSecurityPolicy
        self.metrics = metrics
        self.pictures = pictures
        self.cards = cards
        self.cardPictures = cardPictures
        self.taps = taps
        self.clicks = clicks
        self.countryHeader = countryHeader
        self.experiments = experiments
        self.app = app
        self.traces = traces
        self.limiter = limiter
        self.world = world
    }

    /// `GET /users/{username}?invitedBy={uid}` shows the page of the user to whom the link leads, or
    /// redirects there. It changes nothing except the count of clicks.
    @Sendable package func land(_ request: Request, context: AppContext) async throws -> Response {
        let userLink = try Self.userLink(request, context)
        let (query, (decision, friends)) = (userLink.query, try await landings.decide(userLink))
        metrics.landed(row: decision.row)
        switch decision.target {
        case .page(let user, let invitation):
            let link = try await link(query, of: user, invitation, context)
            var page = page(user, invitation, link, friends: friends, request)
            if invitation != .none {
                let exposures = await change(&page, request, context)
                async let exposed: Void = experiments.note(exposures)
                await count(
                    [page.decision.isRedirect ? .redirect : .page], request, of: user, link, context)
                await exposed
            }
            return answer(to: request, page)
        case .redirect(let user):
            return .found(links.renamed(user, query))
        case .notFound:
            throw Problem.notFound()
        }
    }

    /// `GET /@{username}` redirects to where `/users/{username}` leads with the same query.
    @Sendable package func vanity(_ request: Request, context: AppContext) async throws -> Response {
        guard links.hasVanityLinks else { throw Problem.notFound() }
        let link = try Self.userLink(request, context)
        let decision = try await decide(link)
        metrics.landed(row: decision.row)
        switch decision.target {
        // Its uid may stand where the name does, and must not get lost.
        case .page(let user, .none) where link.isMangled: return .found(links.shown(user, .none))
        case .page(let user, _), .redirect(let user): return .found(links.renamed(user, link.query))
        case .notFound: throw Problem.notFound()
        }
    }

    /// Returns the user's link that a request opens, or whose picture or way to a store it asks for.
    static func userLink(_ request: Request, _ context: AppContext) throws(Problem) -> UserLink {
        try UserLink(segment: context.parameters.get("username") ?? "", request.query)
    }

    /// Returns where the link of a picture leads.
    func decide(_ link: UserLink) async throws -> LinkDecision {
        try await pictured.decide(link).decision
    }

    /// Returns the user's link with which the page was opened. Nil if it has no code, or the code is cut,
    /// unknown or somebody else's. Throws an `InviteError` if the link no longer works.
    private func link(
        _ query: Query, of user: User.Profile, _ invitation: LinkTarget.Invitation, _ context: AppContext
    ) async throws -> FoundLink? {
        let link = try await proof.link(query, of: user, invitation, from: context.address)
        if let refusal = link?.refusal { throw refusal }
        return link
    }

    /// `GET /{code}` redirects to the page to which a short code leads now, and keeps the code, which is the
    /// owner's consent.
    @Sendable package func short(_ request: Request, context: AppContext) async throws -> Response {
        let link = try await link(of: context)
        return .found(links.custom(link.link.code, of: link.invite.inviter, keeping: request.query))
    }

    /// Returns the link of the code in the path. Throws an `InviteError` if it no longer works.
    func link(of context: AppContext) async throws -> FoundLink {
        guard let code = context.parameters.get("code").flatMap({ Invite.Code(inLink: $0) }),
            let link = try await proof.find(code, from: context.address)
        else { throw Problem.notFound() }
        if let refusal = link.refusal { throw refusal }
        return link
    }

    /// `GET /robots.txt`. Fetchers of previews may read the pages. Search engines must read them to find that
    /// they are not for them (`X-Robots-Tag`).
    @Sendable package func robots(_ request: Request, context: AppContext) -> Response {
        Response(
            status: .ok, headers: [.contentType: "text/plain; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: "User-agent: *\nDisallow: /v1/\n")))
    }
}

/// The pages.
extension LandingRoutes {
    /// - Parameter link: the link with which the page was opened, if it has a code.
    func page(
        _ user: User.Profile, _ invitation: LinkTarget.Invitation, _ link: FoundLink?, friends: Int?,
        _ request: Request
    ) -> LandingPage {
        let (language, app) = (request.language(among: pages.languages), pages.app)
        let device = app.device(of: UserAgent(request.headers[.userAgent]))
        let code = link?.link.code
        let shown = links.shown(user, invitation)
        let url = code.map { links.custom($0, of: user) } ?? shown
        let visit = LandingVisit(
            device: device, isInvite: invitation != .none, opensApp: app.urlScheme != nil,
            hasLeft: request.query.hasLeft, isUnopened: request.isUnopened)
        let stores = visit.isInvite
        let campaign = request.query.campaign
        func going(_ link: String) -> String { campaign.map { link.adding(pairs: $0) } ?? link }
        let store = { (name: String) in
            let store = going(links.below(url, name))
            return request.query.isScanned ? ScannedLink.marked(store) : store
        }
        return LandingPage(
            kind: LandingPage.Kind(invitation, link), isByNameOnly: !invitation.isOfUID,
            displayName: user.displayName, username: user.username,
            avatarUrl: avatarHosts.shown(user.avatarUrl),
            friends: invitation.isOfUID ? friends.flatMap { $0 > 0 ? $0 : nil } : nil,
            url: url, link: code.map(links.short) ?? url,
            qrURL: code.map { "/\($0)/qr.svg" }
                ?? String(links.below(shown, "qr.svg").dropFirst(links.origin.count)),
            imageURL: cardURL(of: user, invitation, language), openURL: links.inApp(url),
            appStoreURL: stores && device.system == .iOS && traces.isOn
                ? store("app-store") : nil,
            playStoreURL: stores && device.system == .android ? store("play-store") : nil,
            browserURL: device.leaving(for: going(url)),
            terms: link.map { LinkTerms($0.link, at: world.now()) } ?? LinkTerms(), language: language,
            device: device,
            decision: isClosed
                ? LandingDecision(toNobodyOn: device, app, isClosed: true) : LandingDecision(to: visit, app),
            campaign: campaign)
    }

    private var isClosed: Bool { pages.app.sunset?.isOver(at: world.now()) ?? false }

    private func answer(to request: Request, _ page: LandingPage) -> Response {
        if page.decision.isRedirect, let offer = page.decision.offers.first {
            return .found(pages.url(of: offer, on: page))
        }
        var response = Response.page(
            pages.landing(page), page.language, policy: contentSecurityPolicy,
            for: UserAgent(request.headers[.userAgent]))
        response.headers[.cacheControl] = "no-store"
        return response
    }

    /// Returns the page for a problem: one for everything not found, one for links that no longer work and,
    /// for browsers, one for a broken link and one for a server that cannot answer now. Nil for all other
    /// problems.
    /// - Parameter id: the request's id.
    package func page(of problem: Problem, _ request: Request, id: String) -> Response? {
        let isClosed = isClosed
        // After the end nobody is told whether a link ever led somewhere.
        let isOver = isClosed && [.notFound, .gone, .badRequest].contains(problem.status)
        let problem = isOver ? .serviceClosed : problem
        let isBrowser = HeaderList(request.headers, .accept).accepts("text/html")
        guard isBrowser || problem.status == .notFound || problem.status == .gone else { return nil }
        let page: LandingPages.ErrorPage
        switch problem.status {
        case .notFound, .badRequest: page = .notFound
        case .gone: page = isClosed ? .closed : .gone
        case .unauthorized, .forbidden: page = .needsKey
        case .tooManyRequests, .internalServerError, .serviceUnavailable: page = .tryAgain
        default: return nil
        }
        let agent = UserAgent(request.headers[.userAgent])
        let language = request.language(among: pages.languages)
        var response = Response.page(
            pages.error(
                page, language, pages.app.device(of: agent), isClosed: isClosed, requestID: id), language,
            policy: contentSecurityPolicy, for: agent)
        response.status = problem.status
        for field in problem.headerFields { response.headers[field.name] = field.value }
        return response
    }
}

extension Query {
    /// Whether the way out of a browser inside another app led here.
    var hasLeft: Bool { (try? encoded(Device.wayOutMark)) ?? nil != nil }
}

extension LandingPage.Kind {
    /// Makes the kind of the page. A code is its owner's consent. Without one, it depends on what the owner
    /// and the operator let a name and a uid do.
    fileprivate init(_ invitation: LinkTarget.Invitation, _ link: FoundLink?) {
        self =
            switch (link?.invite.friendship, invitation) {
            case (.auto, _), (nil, .friends): .invite
            case (.ask, _), (nil, .request), (nil, .nameOnly): .ask
            case (nil, .none): .profile
            }
    }
}

extension LinkTerms {
    fileprivate init(_ link: Invite, at now: Date) {
        (label, note) = (link.label, link.note)
        timeLeft = link.expiresAt.map { TimeLeft(seconds: $0.timeIntervalSince(now)) }
        placesLeft = link.maxUses.map { max(0, $0 - link.uses) }
    }
}
