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
        let isLong = try request.query.isLong
        let link = try await link(of: context)
        let text =
            isLong ? links.custom(link.link.code, of: link.invite.inviter) : links.scanned(link.link.code)
        return try await answer(
            QRPicture(link: text, format: format, level: request.query.level), request, context)
    }

    private func picture(_ format: QRPicture.Format, ofUser request: Request, _ context: AppContext)
        async throws
        -> Response
    {
        let level = try request.query.level
        let spelling = context.parameters.get("username") ?? ""
        let text: String
        switch try await decide(spelling, request.query).landing {
        case .page(let user, .friends), .page(let user, .request), .redirect(let user):
            text = links.permanent(user)
        case .page(let user, _):
            text = links.profile(user)
        case .notFound: throw Problem.notFound()
        }
        return try await answer(QRPicture(link: text, format: format, level: level), request, context)
    }

    /// Clients may keep the picture, but must revalidate it each time: a rename or a revocation changes it.
    private func answer(_ picture: QRPicture, _ request: Request, _ context: AppContext) async throws
        -> Response
    {
        let headers: HTTPFields = [
            .contentType: picture.format.mediaType, .eTag: picture.tag, .cacheControl: "private, no-cache",
            .referrerPolicy: "no-referrer",
            .robotsTag: "noindex", .contentSecurityPolicy: "default-src 'none'; style-src 'unsafe-inline'",
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
    fileprivate var level: QRCode.Level {
        get throws(Problem) {
            guard let text = try value("level") else { return .M }
            guard let level = QRCode.Level(rawValue: text) else {
                throw .invalid("level", "must be L, M, Q or H")
            }
            return level
        }
    }
}
