import Charts
import Foundation
import Graph
import HTTPTypes
package import Hummingbird
package import Kernel
package import Visits
import Web

/// The routes `/v1/links`.
package struct ShortLinkRoutes {
    package let domains: [LinkDomain]
    package let project: LinkedProject
    package let creation: ShortLinkCreation
    package let store: ShortLinkStore
    package let cursors: Cursors
    package let clicks: ClickStore
    package let users: UserStore
    package let resolution: LinkResolution
    package let recorder: ClickRecorder
    package let pages: DeepLinkPages
    var places: LinkURLs { pages.places }

    package init(
        domains: [LinkDomain], project: LinkedProject, creation: ShortLinkCreation, store: ShortLinkStore,
        cursors: Cursors, clicks: ClickStore, users: UserStore, resolution: LinkResolution,
        recorder: ClickRecorder, pages: DeepLinkPages
    ) {
        self.domains = domains
        self.project = project
        self.creation = creation
        self.store = store
        self.cursors = cursors
        self.clicks = clicks
        self.users = users
        self.resolution = resolution
        self.recorder = recorder
        self.pages = pages
    }

    /// `POST /v1/links` makes a short link. The same link gets the same unguessable code again, but a new
    /// short one, unless the call has an `Idempotency-Key` of which it got one.
    @Sendable package func create(
        _ request: Request, context: CallerContext
    ) async throws -> EditedResponse<ShortLinkResponse> {
        let maker = try context.linkMaker()
        let body = try await request.decode(as: ShortLinkRequest.self, context: context)
        let details = try body.details()
        if body.isOfOperator { try context.requireNoApp() }
        let domain = try domain(named: body.domain)
        let (link, warnings) = try read(body.parameters)
        let key = try IdempotencyKey(
            request, call: "link",
            content: RepeatedLink(
                parameters: link.parameters, name: details.name, note: details.note,
                tags: details.tags.map(\.text), expiresIn: body.expiresIn))
        var (row, isNew) = try await naming {
            try await creation.create(
                link, in: domain, body.creationSuffix(), details, expiresIn: body.expiresIn, by: maker,
                key: key)
        }
        // What operators say about a link, and whose key made it, are not for every app.
        if !maker.isBackend { (row.name, row.note, row.tags, row.createdBy) = (nil, nil, [], nil) }
        return EditedResponse(
            status: isNew ? .created : .ok, response: ShortLinkResponse(row, in: domain, warnings))
    }

    /// What makes two calls with one `Idempotency-Key` the same.
    private struct RepeatedLink: Encodable {
        let parameters: [String: String]
        let name, note: String?
        let tags: [String]
        let expiresIn: Int?
    }

    package struct ListResponse: ResponseEncodable {
        let links: [ShortLinkResponse]
        let next: String?
    }

    /// The parameters of `list` beside those of pages.
    package static let listParameters = ["domain", "format"] + ShortLinkFilter.parameters

    /// `GET /v1/links?domain&q&tag&archived&keyId&order` lists links, and how often each was used. As a table
    /// it has all pages.
    @Sendable package func list(_ request: Request, context: CallerContext) async throws -> Response {
        let domain = try domain(named: request.query.value("domain"))
        let filter = try ShortLinkFilter(request.query)
        let list = Cursors.List(name: filter.name(in: domain))
        let (after, limit) = try await cursors.page(request, of: list)
        let read: @Sendable (Cursor?, Int) async throws -> ListPage<CountedLink> = { after, limit in
            try await counted(store.list(in: domain, filter, after: after, limit: limit), in: domain)
        }
        if try ChartForm.wantsTable(request) {
            return try CSVResponse(await table(of: read)).response(from: request, context: context)
        }
        let page = try await read(after, limit)
        let answer = try await ListResponse(
            links: page.items.map { ShortLinkResponse($0.row, in: domain, counts: $0.counts) },
            next: cursors.text(page.next, list))
        return JSON.response(try JSON.data(answer))
    }

    private func counted(
        _ page: ListPage<ShortLinkStore.Row>, in domain: LinkDomain
    ) async throws -> ListPage<CountedLink> {
        func place(of row: ShortLinkStore.Row) -> ClickedLink { .short(domain, code: row.code.text) }
        let totals = try await clicks.totals(of: page.items.map(place))
        return page.map {
            CountedLink(row: $0, domain: domain, counts: totals[place(of: $0)] ?? ClickStore.Totals())
        }
    }

    /// `GET /v1/links/{code}?domain=…` shows a link, and where it leads whom.
    @Sendable package func show(_ request: Request, context: CallerContext) async throws -> ShortLinkResponse
    {
        let domain = try domain(named: request.query.value("domain"))
        guard let row = try await store.find(code(in: context), in: domain) else {
            throw Problem.shortLinkNotFound
        }
        let isOver = row.expiresAt.map { $0 <= creation.world.now() } ?? false
        let found = isOver ? nil : try await resolution.find(ifAny: row, in: domain)
        let leads = found.map { found in
            DeepLinkVisitor.named.map { LinkWay(of: $0, found.link, places) }
        }
        return ShortLinkResponse(row, in: domain, leads: leads)
    }

    /// `GET /v1/links/{code}/stats?domain=…&days=…` shows what happened to a link's visitors.
    @Sendable package func statistics(_ request: Request, context: CallerContext) async throws
        -> StatisticsResponse
    {
        let (domain, days) = try (domain(named: request.query.value("domain")), request.statisticsDays())
        let code = try code(in: context)
        guard try await store.find(code, in: domain) != nil else { throw Problem.shortLinkNotFound }
        let (counts, signUps) = try await clicks.countsAndSignUps(
            of: .short(domain, code: code.text), days: days)
        return StatisticsResponse(counts, signUps, days: days, in: clicks.policy)
    }

    /// `PATCH /v1/links/{code}?domain=…` changes a link.
    @Sendable package func change(_ request: Request, context: CallerContext) async throws
        -> ShortLinkResponse
    {
        let body = try await request.decode(as: ShortLinkChangeRequest.self, context: context)
        var change = try body.change()
        let domain = try domain(named: request.query.value("domain"))
        let given = try body.parameters.map { try read($0) }
        if let given {
            try await naming { try await store.requireNoLink(at: given.link.target, of: domains) }
        }
        change.parameters = given?.link.parameters
        guard let row = try await store.change(code(in: context), in: domain, change) else {
            throw Problem.shortLinkNotFound
        }
        return ShortLinkResponse(row, in: domain, given?.warnings)
    }

    /// `DELETE /v1/links/{code}?domain=…` deletes a link. It leads nowhere from now on, and the same link
    /// gets another code, but for a call with the `Idempotency-Key` that made it.
    @Sendable package func delete(_ request: Request, context: CallerContext) async throws
        -> HTTPResponse.Status
    {
        let domain = try domain(named: request.query.value("domain"))
        guard try await store.delete(code(in: context), in: domain) else { throw Problem.shortLinkNotFound }
        return .noContent
    }

    /// A link that opened an app.
    private struct ResolveRequest: JSONBody {
        var url: String
        /// The platform of the app that the link opened. If the link opened one, the opening counts.
        var platform: String?

        enum CodingKeys: CodingKey, CaseIterable { case url, platform }

        static let fields = Set(CodingKeys.allCases.map(\.stringValue))
    }

    package struct ResolveResponse: ResponseEncodable {
        let url: String
        let target: String
        let parameters: [String: String]
    }

    /// `POST /v1/links/resolve` tells an app where a link leads that opened it, or that its user scanned.
    @Sendable package func resolve(_ request: Request, context: CallerContext) async throws -> ResolveResponse
    {
        let body = try await request.decode(as: ResolveRequest.self, context: context)
        let platform = try body.platform.map { text in try AppPlatform.checked(text) }
        _ = try await users.account(of: context.caller.user)
        guard let link = try await resolution.resolved(body.url, from: context.address) else {
            throw Problem.deepLinkNotFound
        }
        if let platform {
            var visitor = ClickVisitor(platform: Click.Platform(platform))
            visitor.parts.addCampaign { link.parameters[$0] }
            await recorder.record([.reopen], of: [link.counted], by: visitor)
        }
        return ResolveResponse(url: link.url, target: link.target, parameters: link.parameters)
    }

    /// - Parameter parent: the path of the parameters in the body, with a dot.
    func read(
        _ parameters: [String: String], in parent: String = "parameters."
    ) throws -> (link: DeepLink, warnings: [LinkWarning]) {
        do {
            return try DeepLink.new(
                parameters.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }, for: project,
                resolution.links)
        } catch {
            throw error.problem(in: parent)
        }
    }

    /// Makes the call, and names the wrong field of the body in its error.
    func naming<T>(in parent: String = "parameters.", _ call: () async throws -> T) async throws -> T {
        do {
            return try await call()
        } catch let error as DeepLinkError {
            throw error.problem(in: parent)
        }
    }

    func domain(named name: String?) throws(Problem) -> LinkDomain { try domains.named(name) }

    private func code(in context: CallerContext) throws -> ShortLink.Code {
        guard
            let code = context.parameters.get("code").flatMap({ PercentEncoding.decode($0.utf8) })
                .flatMap({ ShortLink.Code($0) })
        else { throw Problem.shortLinkNotFound }
        return code
    }
}

extension [LinkDomain] {
    /// Returns the domain with this text, or the first. Throws a 400 for another, and a 409 if there is none.
    func named(_ name: String?) throws(Problem) -> LinkDomain {
        guard let name else {
            guard let first else {
                throw Problem(.conflict, "no_link_domain", "The operator has set no KITH_LINK_DOMAINS.")
            }
            return first
        }
        guard let domain = first(where: { $0.text.hasSameBytes(as: name) }) else {
            throw .invalid("domain", "must be one of KITH_LINK_DOMAINS")
        }
        return domain
    }
}

extension Problem {
    static let shortLinkNotFound = Problem.notFound("not_found", "There is no such short link.")
    static let deepLinkNotFound = Problem.notFound("not_found", "This link leads nowhere.")
}

extension CallerContext {
    /// Returns the maker, at routes that only keys and people may call.
    func linkMaker() throws(Problem) -> ShortLinkMaker {
        switch caller {
        case .key(_, let id, nil): ShortLinkMaker(key: id, isBackend: !isOfApp)
        case .person(let session): ShortLinkMaker(key: session.actor.text, isBackend: true)
        case .key, .user: throw Problem.unauthenticated
        }
    }
}
