import HTTPTypes
import Hummingbird
import NIOCore

/// The routes of a domain of deep links: `https://go.example.com/?link=…`.
struct DeepLinkRoutes {
    let domains: [LinkDomain]
    let project: LinkedProject
    let places: LinkPlaces
    let pages: DeepLinkPages
    let facts: LinkFactsStore

    /// `GET {domain}/?link=…` sends the visitor where the parameters of the link say, or shows a page on the way. It changes
    /// nothing.
    @Sendable func open(_ request: Request, context: AppContext) async throws -> Response {
        guard let (domain, rest) = domain(of: request), ["", "/"].contains(rest),
            let given = LongLink.parameters(request.uri.query)
        else { throw Problem.notFound() }
        var (link, _) = try DeepLink.read(given, for: project, isStrict: false)
        link.target = try await current(link.target)
        return answer(link, at: "\(domain.text)/?\(request.uri.query ?? "")", request)
    }

    /// The domain of the request, and the path behind it.
    private func domain(of request: Request) -> (LinkDomain, rest: String)? {
        for domain in domains {
            if let rest = domain.rest(of: request.uri.path) { return (domain, rest) }
        }
        return nil
    }

    /// The target by now: a user may have another name since. Throws `notFound` if it leads to nobody.
    private func current(_ target: WebURL) async throws -> WebURL {
        guard places.links.reference(in: target.text) != .unrecognised else { return target }
        let path = target.rest.prefix { $0 != "?" && $0 != "#" }.split(separator: "/")
        guard path.count == 2, path[0] == "users" else { return target }
        let query = Query(
            target.rest.split(separator: "?", maxSplits: 1).dropFirst().first.map {
                String($0.prefix { $0 != "#" })
            })
        switch try await facts.decide(String(path[1]), query).ruling.landing {
        case .page: return target
        case .redirect(let user): return try WebURL(places.links.renamed(user, query))
        case .notFound: throw Problem.notFound()
        }
    }

    private func answer(_ link: DeepLink, at url: String, _ request: Request) -> Response {
        let agent = UserAgent(request.headers[.userAgent])
        var visit = DeepLinkVisit(device: pages.app.device(of: agent))
        visit.isPreviewFetcher = agent.isPreviewFetcher
        visit.isInvite = link.isInvite(places.links)
        visit.isIPad = agent.names(["iPad"])
        visit.mayBeIPad =
            agent.names(["Macintosh"]) && agent.names(["Safari/"]) && !agent.names(["Chrome/", "Firefox/"])
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
        }
    }
}
