import Graph
import HTTPTypes
package import Hummingbird
package import Kernel
import NIOCore
import Pictures
import Visits
import Web

/// The cards: the pictures of link previews.
extension LandingRoutes {
    /// `GET /users/{username}/card.jpg?invitedBy={uid}` shows the user whom the page with the same parameters
    /// shows, and redirects where it does. What a card shows never depends on a code, since anybody can ask
    /// for it.
    @Sendable package func showCard(_ request: Request, context: AppContext) async throws -> Response {
        let link = try Self.userLink(request, context)
        switch try await decide(link).target {
        case .page(let user, let invitation):
            let card = card(of: user, invitation, request.language(among: pages.languages))
            return try await answer(card, request, context)
        case .redirect(let user):
            return .found("\(links.profile(user))/card.jpg?\(link.query.raw ?? "")")
        case .notFound:
            throw Problem.notFound()
        }
    }

    /// Answers with a card. Clients may keep the picture, but must revalidate it each time, since a rename
    /// changes it.
    private func answer(_ card: Card, _ request: Request, _ context: AppContext) async throws -> Response {
        let tag = ETag.of(card.content(in: cards.style))
        var headers: HTTPFields = [
            .contentType: "image/jpeg", .eTag: tag, .cacheControl: "private, no-cache",
            .referrerPolicy: "no-referrer", .vary: Languages.vary,
        ]
        headers[.robotsTag] = Response.robotsTag(for: UserAgent(request.headers[.userAgent]))
        if request.has(tag) { return Response(status: .notModified, headers: headers) }
        do {
            return try await picture(card, headers, context)
        } catch CardError.noFace {
            // This card is not cached: the next time the user's picture may be there.
            var bare = card
            bare.face = nil
            headers[.eTag] = nil
            headers[.cacheControl] = "no-store"
            return try await picture(bare, headers, context)
        }
    }

    private func picture(_ card: Card, _ headers: HTTPFields, _ context: AppContext) async throws -> Response
    {
        let bytes = try await cardPictures.bytes(of: card, for: context.address) {
            try await cards.jpeg(of: $0)
        }
        return Response(
            status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// Returns the URL of a page's card. Fetchers of previews keep a picture by its URL, so the URL changes
    /// with what the card shows: `v` is a hash of it, which the route ignores.
    func cardURL(of user: User.Profile, _ invitation: LinkTarget.Invitation, _ language: Language) -> String {
        let card = card(of: user, invitation, language)
        let inviter = invitation.isOfUID ? "invitedBy=\(PercentEncoding.encode(user.uid.text))&" : ""
        return "\(links.profile(user))/card.jpg?\(inviter)hl=\(language)&v=\(card.version(in: cards.style))"
    }

    private func card(of user: User.Profile, _ invitation: LinkTarget.Invitation, _ language: Language)
        -> Card
    {
        Card(
            name: user.visibleDisplayName ?? "@\(user.username)", initial: user.initial,
            caption: pages.texts(language)(invitation.isOfUID ? .cardInvite : .cardProfile),
            handle: user.visibleDisplayName == nil ? nil : "@\(user.username)", tint: user.tint,
            face: avatarHosts.shown(user.avatarUrl),
            language: language.tag)
    }
}
