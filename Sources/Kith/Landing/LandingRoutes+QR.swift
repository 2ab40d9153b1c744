import HTTPTypes
import Hummingbird
import NIOCore

/// The QR symbols of links, at the links' own paths.
extension LandingRoutes {
    /// `GET /{code}/qr.svg` shows the short link; with `form=long` that to which it leads now.
    @Sendable func shortSVG(_ request: Request, context: AppContext) async throws -> Response {
        try await picture(.svg, ofCode: request, context)
    }

    /// `GET /{code}/qr.png`.
    @Sendable func shortPNG(_ request: Request, context: AppContext) async throws -> Response {
        try await picture(.png, ofCode: request, context)
    }

    /// `GET /users/{username}/qr.svg?invitedBy={uid}` shows the permanent link of the user to whom this one leads now, even
    /// by an old name. It never has a code: anybody can ask for this picture.
    @Sendable func svg(_ request: Request, context: AppContext) async throws -> Response {
        try await picture(.svg, ofUser: request, context)
    }

    /// `GET /users/{username}/qr.png?invitedBy={uid}`.
    @Sendable func png(_ request: Request, context: AppContext) async throws -> Response {
        try await picture(.png, ofUser: request, context)
    }

    private func picture(_ format: QRPicture.Format, ofCode request: Request, _ context: AppContext)
        async throws
        -> Response
    {
        let (isLong, drawing) = (try request.query.isLong, try drawing(request.query))
        let link = try await link(of: context)
        let text =
            isLong ? links.custom(link.link.code, of: link.invite.inviter) : links.scanned(link.link.code)
        return try await answer(
            QRPicture(link: text, format: format, level: drawing.level, logo: drawing.logo), request, context)
    }

    private func picture(_ format: QRPicture.Format, ofUser request: Request, _ context: AppContext)
        async throws
        -> Response
    {
        let drawing = try drawing(request.query)
        let spelling = context.parameters.get("username") ?? ""
        let text: String
        switch try await decide(spelling, request.query).landing {
        case .page(let user, .friends), .page(let user, .request), .redirect(let user):
            text = links.permanent(user)
        case .page(let user, _):
            text = links.profile(user)
        case .notFound: throw Problem.notFound()
        }
        return try await answer(
            QRPicture(link: text, format: format, level: drawing.level, logo: drawing.logo), request, context)
    }

    /// A logo takes `H` if the request names no level. With `L` or `M` a camera would not read the small symbols.
    private func drawing(_ query: Query) throws(Problem) -> (level: QRCode.Level, logo: AppIcon?) {
        let level = try query.level
        guard try query.hasLogo else { return (level ?? .M, nil) }
        guard let icon = pages.app.icon else {
            throw .invalid("logo", "cannot be drawn: this server has no icon of the app")
        }
        guard level != .L, level != .M else { throw .invalid("level", "must be Q or H with a logo") }
        return (level ?? .H, icon)
    }

    /// Clients may keep the picture, but must revalidate it each time: a rename or a revocation changes it.
    private func answer(_ picture: QRPicture, _ request: Request, _ context: AppContext) async throws
        -> Response
    {
        let headers: HTTPFields = [
            .contentType: picture.format.mediaType, .eTag: picture.tag, .cacheControl: "private, no-cache",
            .referrerPolicy: "no-referrer",
            .robotsTag: "noindex",
            .contentSecurityPolicy: "default-src 'none'; style-src 'unsafe-inline'; img-src data:",
        ]
        if request.has(picture.tag) { return Response(status: .notModified, headers: headers) }
        let bytes = try await pictures.bytes(of: picture, for: context.address) { try $0.draw() }
        return Response(
            status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}

extension Query {
    /// `form`, `short` or `long`.
    fileprivate var isLong: Bool {
        get throws(Problem) {
            switch try value("form") {
            case nil, "short": false
            case "long": true
            default: throw .invalid("form", "must be short or long")
            }
        }
    }

    /// `level`, the error correction: `L`, `M`, `Q` or `H`.
    fileprivate var level: QRCode.Level? {
        get throws(Problem) {
            guard let text = try value("level") else { return nil }
            guard let level = QRCode.Level(rawValue: text) else {
                throw .invalid("level", "must be L, M, Q or H")
            }
            return level
        }
    }

    /// `logo`, which is `app`.
    fileprivate var hasLogo: Bool {
        get throws(Problem) {
            switch try value("logo") {
            case nil: false
            case "app": true
            default: throw .invalid("logo", "must be app")
            }
        }
    }
}
