import HTTPTypes
package import Hummingbird
package import Kernel
import NIOCore
package import Visits
package import Web

/// The routes of a domain of deep links: `https://go.example.com/?link=…`.
package struct DeepLinkRoutes {
    package let resolution: LinkResolution
    package let places: LinkURLs
    package let pages: DeepLinkPages
    package let flows: DeepLinkFlowPages
    package let clicks: ClickRecorder
    package let countryHeader: String?
    package let world: World

    package init(
        resolution: LinkResolution, places: LinkURLs, pages: DeepLinkPages, flows: DeepLinkFlowPages,
        clicks: ClickRecorder, countryHeader: String?, world: World
    ) {
        self.resolution = resolution
        self.places = places
        self.pages = pages
        self.flows = flows
        self.clicks = clicks
        self.countryHeader = countryHeader
        self.world = world
    }

    /// `GET {domain}/?link=…` and `GET {domain}/{code}` send the visitor where the parameters of the link
    /// say, or show a page on the way. They change nothing except the count of clicks.
    @Sendable package func open(_ request: Request, context: AppContext) async throws -> Response {
        guard let (domain, rest) = resolution.domains.having(request.uri.path) else {
            throw Problem.notFound()
        }
        let isClosed = pages.app.sunset?.isOver(at: world.now()) ?? false
        if !isClosed, request.uri.path == "/", request.uri.query?.isEmpty != false,
            let home = pages.app.home(besides: domain.origin)
        {
            return .found(home)
        }
        if !isClosed, (try? request.query.value("d")) == "1" {
            return try await flow(request, in: domain, rest, context)
        }
        let found = try await resolution.find(rest, request.uri.query, in: domain, from: context.address)
        let query = request.query.unmarked.map { "?\($0)" } ?? ""
        let agent = UserAgent(request.headers[.userAgent])
        let url = "\(domain.text)\(rest.isEmpty ? "/" : rest)\(query)"
        let response =
            isClosed ? try goodbye(found.link) : try answer(found.link, at: url, agent, request)
        if var visitor = ClickVisitor(request, agent, context.address, countryHeader) {
            visitor.parts.addCampaign { LinkParameter(rawValue: $0).flatMap { found.link[$0] } }
            await clicks.record(
                [response.status == .found ? .redirect : .page], of: [found.clicked], by: visitor)
        }
        return response
    }

    /// Answers after the service has closed. Its stores have nothing to offer, so everybody goes on as a
    /// computer does, unless the link leads to a user.
    private func goodbye(_ link: DeepLink) throws(Problem) -> Response {
        let decision = DeepLinkDecision(to: DeepLinkVisit(device: .unknown), link, pages.app)
        guard case .redirect(let place) = decision.way, link[.ofl] != nil || !link.isInvite(places.links)
        else {
            throw .serviceClosed
        }
        return try redirect(to: place, link)
    }

    private func answer(
        _ link: DeepLink, at url: String, _ agent: UserAgent, _ request: Request
    ) throws(Problem) -> Response {
        var visit = visit(agent, link)
        visit.hasLeft = request.query.hasLeft
        let decision = DeepLinkDecision(to: visit, link, pages.app)
        if case .redirect(let place) = decision.way { return try redirect(to: place, link) }
        let page = DeepLinkPage(
            link: link, url: url, visit: visit, way: decision.way,
            language: request.language(among: pages.pages.languages))
        var response = Response.page(
            ByteBuffer(string: pages.html(page)), page.language,
            policy: pages.templates.contentSecurityPolicy,
            for: agent)
        response.headers[.cacheControl] = "no-store"
        return response
    }

    /// Redirects to a place. A target that only the app reads shows nothing to a browser.
    private func redirect(
        to place: DeepLinkDecision.Destination, _ link: DeepLink
    ) throws(Problem) -> Response {
        if case .url(let url) = place, resolution.project.owns(url) { throw .deepLinkNotFound }
        return .found(places.url(of: place, for: link))
    }

    func visit(_ agent: UserAgent, _ link: DeepLink) -> DeepLinkVisit {
        var visit = DeepLinkVisit(device: pages.app.device(of: agent))
        visit.isPreviewFetcher = agent.isProgram
        visit.isInvite = link.isInvite(places.links)
        visit.isIPad = agent.names(["iPad"]) || agent.isIPadAsMac
        visit.mayBeIPad = agent.mayBeIPad
        return visit
    }
}

extension DeepLinkError: ProblemError {
    package var problem: Problem { problem(in: "") }

    /// - Parameter parent: the path of the parameters in the body of a call, with a dot.
    func problem(in parent: String) -> Problem {
        switch self {
        case .noTarget: .invalid("\(parent)link", "must be there, percent-encoded")
        case .malformed: .invalid("\(parent)link", "must be an http or https URL, percent-encoded once")
        case .tooLong(let parameter?):
            .invalid(
                "\(parent)\(parameter.rawValue)", "must have at most \(LinkParameter.mostBytes.grouped) bytes"
            )
        case .tooLong(nil):
            .invalid(
                "\(parent)link",
                "and the other parameters must have at most \(LinkParameter.mostBytesTogether.grouped) bytes together"
            )
        case .tooLargeForApps:
            .invalid(
                "\(parent)link",
                "and the other parameters must have at most \(ShortLinkCreation.mostBytesOfApps.grouped) bytes together, if a "
                    + "client key makes the link")
        case .notAllowed(let parameter, _):
            .invalid(
                "\(parent)\(parameter.rawValue)",
                "leads to a host that this server does not allow (KITH_LINK_TARGETS)")
        case .targetIsLink(let parameter, _):
            .invalid("\(parent)\(parameter.rawValue)", "must not be a link of a domain of links itself")
        case .losesUID:
            .invalid(
                "\(parent)link",
                "has a user's name alone, and `invitedBy` stands outside of it: percent-encode the user's link"
            )
        case .codeUnusable:
            .invalid("code", "makes a URL at which something else of this server stands: choose another")
        case .codeTaken: Problem(.conflict, "code_taken", "The code leads elsewhere.", field: "code")
        }
    }
}
