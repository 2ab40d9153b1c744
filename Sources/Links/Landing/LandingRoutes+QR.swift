import Graph
package import Hummingbird
package import Kernel
import Web

/// The QR symbols of links, at the links' own paths.
package extension LandingRoutes {
    /// `GET /{code}/qr.svg` shows the short link. With `form=long` it shows the link to which that leads now.
    @Sendable func shortSVG(_ request: Request, context: AppContext) async throws -> Response {
        try await picture(.svg, ofCode: request, context)
    }

    /// `GET /{code}/qr.png` shows the same as a PNG.
    @Sendable func shortPNG(_ request: Request, context: AppContext) async throws -> Response {
        try await picture(.png, ofCode: request, context)
    }

    /// `GET /users/{username}/qr.svg?invitedBy={uid}` shows the permanent link of the user to whom this one
    /// leads now, even by an old name. It never has a code, since anybody can ask for this picture.
    @Sendable func svg(_ request: Request, context: AppContext) async throws -> Response {
        try await picture(.svg, ofUser: request, context)
    }

    /// `GET /users/{username}/qr.png?invitedBy={uid}` shows the same as a PNG.
    @Sendable func png(_ request: Request, context: AppContext) async throws -> Response {
        try await picture(.png, ofUser: request, context)
    }

    private func picture(
        _ format: QRPicture.Format, ofCode request: Request, _ context: AppContext
    ) async throws -> Response {
        let (isLong, answer) = (
            try request.query.isLong, try QRPictureResponse(format, request.query, icon: pages.app.icon)
        )
        let link = try await link(of: context)
        let text =
            isLong ? links.custom(link.link.code, of: link.invite.inviter) : links.scanned(link.link.code)
        return try await answer.response(to: request, showing: text, from: pictures, for: context.address)
    }

    private func picture(
        _ format: QRPicture.Format, ofUser request: Request, _ context: AppContext
    ) async throws -> Response {
        let answer = try QRPictureResponse(format, request.query, icon: pages.app.icon)
        let text: String
        switch try await decide(Self.userLink(request, context)).target {
        case .page(let user, let invitation): text = links.shown(user, invitation)
        case .redirect(let user): text = links.permanent(user)
        case .notFound: throw Problem.notFound()
        }
        return try await answer.response(to: request, showing: text, from: pictures, for: context.address)
    }
}

extension Query {
    /// Whether the query's `form` is `long`. It may be `short` or `long`.
    fileprivate var isLong: Bool {
        get throws(Problem) {
            switch try value("form") {
            case nil, "short": false
            case "long": true
            default: throw .invalid("form", "must be short or long")
            }
        }
    }
}
