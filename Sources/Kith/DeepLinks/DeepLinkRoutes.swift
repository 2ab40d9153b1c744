import HTTPTypes
import Hummingbird
import NIOCore

/// The routes of a domain of deep links: `https://go.example.com/?link=…`.
struct DeepLinkRoutes {
    let resolution: LinkResolution
    let places: LinkPlaces
    let pages: DeepLinkPages
    let flows: DeepLinkFlowPages
    let clicks: ClickRecorder
    let clickPolicy: ClickPolicy

    /// `GET {domain}/?link=…` and `GET {domain}/{code}` send the visitor where the parameters of the link say, or show a page
    /// on the way. They change nothing but the count of clicks.
    @Sendable func open(_ request: Request, context: AppContext) async throws -> Response {
        guard let (domain, rest) = resolution.domains.having(request.uri.path) else {
            throw Problem.notFound()
        }
        if (try? request.query.value("d")) == "1" { return try await flow(request, in: domain, rest) }
        let found = try await resolution.find(rest, request.uri.query, in: domain)
        let query = request.uri.query.map { "?\($0)" } ?? ""
        let response = answer(found.link, at: "\(domain.text)\(rest.isEmpty ? "/" : rest)\(query)", request)
        if let visitor = ClickVisitor(request, context.address, clickPolicy) {
            await clicks.record(
                [response.status == .found ? .redirect : .page], of: [found.clicked], by: visitor)
        }
        return response
    }

    private func answer(_ link: DeepLink, at url: String, _ request: Request) -> Response {
        let agent = UserAgent(request.headers[.userAgent])
        let visit = visit(agent, link)
        let answer = DeepLinkAnswer(to: visit, link, pages.app)
        if case .redirect(let place) = answer.way { return .found(places.url(of: place, for: link)) }
        let page = DeepLinkPage(
            link: link, url: url, visit: visit, way: answer.way,
            language: request.language(among: pages.pages.languages))
        var response = Response.page(
            ByteBuffer(string: pages.html(page)), page.language,
            policy: pages.templates.contentSecurityPolicy,
            for: agent)
        response.headers[.cacheControl] = "no-store"
        return response
    }

    func visit(_ agent: UserAgent, _ link: DeepLink) -> DeepLinkVisit {
        var visit = DeepLinkVisit(device: pages.app.device(of: agent))
        visit.isPreviewFetcher = agent.isPreviewFetcher
        visit.isInvite = link.isInvite(places.links)
        visit.isIPad = agent.names(["iPad"])
        visit.mayBeIPad =
            agent.names(["Macintosh"]) && agent.names(["Safari/"]) && !agent.names(["Chrome/", "Firefox/"])
        return visit
    }
}

extension DeepLinkError: ProblemError {
    var problem: Problem {
        switch self {
        case .noTarget: .invalid("link", "must be there")
        case .malformed: .invalid("link", "must be an http or https URL, percent-encoded once")
        case .notAllowed(let parameter, _):
            .invalid(
                parameter.rawValue, "leads to a host that this server does not allow (KITH_LINK_TARGETS)")
        case .targetIsLink: .invalid("link", "must not be a link of this domain")
        case .codeTaken: Problem(.conflict, "code_taken", "The code leads elsewhere.", field: "code")
        }
    }
}
