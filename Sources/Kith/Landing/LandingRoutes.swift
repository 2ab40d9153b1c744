import HTTPTypes
import Hummingbird
import NIOCore

/// The routes for browsers: `/users/{username}`, its QR pictures, and short codes.
struct LandingRoutes {
    let landings: LinkFactsStore
    let invites: InviteStore
    let links: InviteLinks
    let avatarHosts: AvatarHosts
    let pages: LandingPages
    let contentSecurityPolicy: String
    let metrics: Metrics
    let guesses: CodeGuesses
    let pictures: PictureCache<QRPicture>
    let cards: CardRenderer
    let cardPictures: PictureCache<Card>

    /// `GET /users/{username}?invitedBy={uid}` shows the page of the user to whom the link leads, or redirects there. It
    /// changes nothing.
    @Sendable func land(_ request: Request, context: AppContext) async throws -> Response {
        let query = request.query
        let spelling = context.parameters.get("username") ?? ""
        let ruling = try await decide(spelling, query)
        metrics.landed(row: ruling.row)
        switch ruling.landing {
        case .page(let user, let invitation):
            return try page(user, invitation, code: query.code, language(of: request))
        case .redirect(let user):
            return redirect(to: "\(links.profile(user))?\(query.raw ?? "")")
        case .notFound:
            throw Problem.notFound()
        }
    }

    func decide(_ spelling: String, _ query: Query) async throws -> Decision {
        let encodedUID = try query.encoded("invitedBy")
        guard let name = PercentEncoding.decode(spelling.utf8).flatMap({ Username.Key($0) }) else {
            return Decision(row: 9, landing: .notFound)
        }
        // A link that was cut on its way has an invalid uid: treat it as an unknown one, since people open it.
        let inviter = encodedUID.flatMap { PercentEncoding.decode($0) }.flatMap { User.UID($0) }
            .map(User.ID.init(of:))
        let facts = try await landings.facts(name: name, inviter: inviter)
        return LinkTarget.decide(name: name, spelling: spelling, hasUID: encodedUID != nil, facts: facts)
    }

    func redirect(to location: String) -> Response {
        Response(status: .found, headers: [.location: location, .cacheControl: "no-store"])
    }

    /// By `?hl=`, else by the header.
    func language(of request: Request) -> Language {
        let wish = (try? request.query.value("hl")) ?? nil
        return wish.flatMap { Language(rawValue: $0) }
            ?? Language(acceptLanguage: request.headers[.acceptLanguage])
    }

    private func page(
        _ user: User.Profile, _ invitation: LinkTarget.Invitation, code: Invite.Code?, _ language: Language
    ) -> Response {
        let link =
            switch invitation {
            case .friends, .request: code.map { links.custom($0, of: user) } ?? links.permanent(user)
            case .nameOnly, .none: links.profile(user)
            }
        let path = "users/\(PercentEncoding.encode(user.username))"
        let query = invitation.isOfUID ? "?invitedBy=\(PercentEncoding.encode(user.uid))" : ""
        let page = LandingPage(
            kind: LandingPage.Kind(invitation), displayName: user.displayName, username: user.username,
            avatarUrl: user.avatarUrl.flatMap { avatarHosts.allow($0) ? $0 : nil },
            url: link, qrURL: "/\(path)/qr.svg\(query)", imageURL: cardURL(of: user, invitation, language),
            openURL: links.inApp(link), language: language)
        var response = html(pages.landing(page), language)
        response.headers[.cacheControl] = "no-store"
        if invitation != .none {
            response.headers[.referrerPolicy] = "no-referrer"
            response.headers[.robotsTag] = "noindex"
        }
        return response
    }

    /// The page for a problem: one for everything not found and, for browsers, one for a broken link and one for a server
    /// that cannot answer now. Nil for all other problems.
    func page(of problem: Problem, _ request: Request) -> Response? {
        let isBrowser = HeaderList(request.headers, .accept).accepts("text/html")
        guard isBrowser || problem.status == .notFound else { return nil }
        let page: LandingPages.ErrorPage
        switch problem.status {
        case .notFound, .badRequest: page = .notFound
        case .tooManyRequests, .internalServerError, .serviceUnavailable: page = .tryAgain
        default: return nil
        }
        let language = language(of: request)
        var response = html(pages.error(page, language), language)
        response.status = problem.status
        for field in problem.headerFields { response.headers[field.name] = field.value }
        response.headers[.referrerPolicy] = "no-referrer"
        response.headers[.robotsTag] = "noindex"
        return response
    }

    private func html(_ text: String, _ language: Language) -> Response {
        Response(
            status: .ok,
            headers: [
                .contentType: "text/html; charset=utf-8", .contentLanguage: language.rawValue,
                .vary: Language.vary, .contentSecurityPolicy: contentSecurityPolicy,
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    /// `GET /{code}` redirects to the page to which a short code leads now, and keeps the code: it is the owner's
    /// consent.
    @Sendable func short(_ request: Request, context: AppContext) async throws -> Response {
        guard let code = context.parameters.get("code").flatMap({ Invite.Code($0) }) else {
            throw Problem.notFound()
        }
        do {
            let invite = try await guesses.lookingUp(code, from: context.address) {
                try await invites.proven(code)
            }
            let rest = request.query.dropping(["invitedBy", "code"]).map { "&\($0)" } ?? ""
            return redirect(to: links.custom(code, of: invite.inviter) + rest)
        } catch is InviteError {
            throw Problem.notFound()
        }
    }

    /// `GET /robots.txt`: the pages of people are not for search engines.
    @Sendable func robots(_ request: Request, context: AppContext) -> Response {
        Response(
            status: .ok, headers: [.contentType: "text/plain; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: "User-agent: *\nDisallow: /users/\n")))
    }
}

/// The QR symbols of the links at the same paths.
extension LandingRoutes {
    /// `GET /users/{username}/qr.svg?invitedBy={uid}`.
    @Sendable func svg(_ request: Request, context: AppContext) async throws -> Response {
        try await picture(.svg, request, context)
    }

    /// `GET /users/{username}/qr.png?invitedBy={uid}`.
    @Sendable func png(_ request: Request, context: AppContext) async throws -> Response {
        try await picture(.png, request, context)
    }

    /// Clients may keep the picture, but must revalidate it each time: a rename changes it.
    private func picture(_ format: QRPicture.Format, _ request: Request, _ context: AppContext) async throws
        -> Response
    {
        let picture = QRPicture(link: try await link(request, context), format: format)
        let headers: HTTPFields = [
            .contentType: format.mediaType, .eTag: picture.tag, .cacheControl: "private, no-cache",
            .referrerPolicy: "no-referrer",
            .robotsTag: "noindex", .contentSecurityPolicy: "default-src 'none'; style-src 'unsafe-inline'",
        ]
        if request.has(picture.tag) { return Response(status: .notModified, headers: headers) }
        let bytes = try await pictures.bytes(of: picture, for: context.address) { try $0.draw() }
        return Response(
            status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// The link of the user to whom this one leads now, even by an old name.
    private func link(_ request: Request, _ context: AppContext) async throws -> String {
        let spelling = context.parameters.get("username") ?? ""
        switch try await decide(spelling, request.query).landing {
        case .page(let user, .friends), .page(let user, .request), .redirect(let user):
            let link = links.permanent(user)
            // An imported username and a uid without Latin letters can make a link too long for a symbol. The short
            // code would fit, but it makes friends of all who have it, and this picture is public.
            return QRCode.holds(link) ? link : links.profile(user)
        case .page(let user, _):
            return links.profile(user)
        case .notFound: throw Problem.notFound()
        }
    }
}

extension Query {
    /// The code of a custom link; nil if it is missing or malformed.
    fileprivate var code: Invite.Code? {
        get throws(Problem) {
            try encoded("code").flatMap { PercentEncoding.decode($0) }.flatMap { Invite.Code($0) }
        }
    }
}

extension LinkTarget.Invitation {
    /// Whether the link has the uid of the user whose page it is.
    var isOfUID: Bool { self == .friends || self == .request }
}

extension LandingPage.Kind {
    fileprivate init(_ invitation: LinkTarget.Invitation) {
        self =
            switch invitation {
            case .friends: .invite
            case .request, .nameOnly: .ask
            case .none: .profile
            }
    }
}
