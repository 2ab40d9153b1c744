package import Graph
import HTTPTypes
package import Hummingbird
package import Kernel
package import Visits
import Web

/// The calls of Firebase Dynamic Links about short links, as Google published them (firebasedynamiclinks v1),
/// under `/fdl/v1`.
package struct FirebaseLinkRoutes {
    package let project: LinkedProject
    package let links: InviteLinks
    package let creation: ShortLinkCreation
    package let store: ShortLinkStore
    package let clicks: ClickStore

    package init(
        project: LinkedProject, links: InviteLinks, creation: ShortLinkCreation, store: ShortLinkStore,
        clicks: ClickStore
    ) {
        self.project = project
        self.links = links
        self.creation = creation
        self.store = store
        self.clicks = clicks
    }

    /// `POST shortLinks` makes a short link.
    @Sendable package func create(
        _ request: Request, context: CallerContext
    ) async throws -> ShortDynamicLinkResponse {
        let body = try FirebaseLinkRequest(await request.protoMessage(), for: project, links)
        // Everybody has the key of an app, so the app chooses no codes.
        if case .custom = body.suffix { try context.requireNoApp() }
        return try await ShortDynamicLinkResponse(
            make(body, name: nil, context), in: body.domain, body.warnings)
    }

    /// `POST managedShortLinks:create` makes a short link with a name. If there is one with the same code, it
    /// gets the name.
    @Sendable package func createManaged(
        _ request: Request, context: CallerContext
    ) async throws -> ManagedShortLinkResponse {
        let message = try await request.protoMessage()
        let name = try ShortLinkDetails.name(message.text("name"))
        let body = try FirebaseLinkRequest(message, for: project, links)
        var row = try await make(body, name: name, context)
        if let name, name != row.name {
            row = try await store.change(row.code, in: body.domain, ShortLinkChange(name: name)) ?? row
        }
        return ManagedShortLinkResponse(row, in: body.domain, body.warnings)
    }

    private func make(
        _ body: FirebaseLinkRequest, name: String?, _ context: CallerContext
    ) async throws -> ShortLinkStore.Row {
        do {
            return try await creation.create(
                body.link, in: body.domain, body.suffix, ShortLinkDetails(name: name), expiresIn: nil,
                by: context.linkMaker()
            ).0
        } catch let error as DeepLinkError {
            throw error.firebaseProblem(body.link.target.text)
        }
    }

    /// `GET {dynamicLink}/linkStats?durationDays=…` shows what happened to the visitors of a short link. Its
    /// whole URL is one segment of the path.
    @Sendable package func statistics(
        _ request: Request, context: CallerContext
    ) async throws -> DynamicLinkStatsResponse {
        let days =
            try request.query.value("durationDays") ?? request.query.value("duration_days") ?? ""
        guard let days = Int(days), (1...3650).contains(days) else {
            throw Problem.invalid("durationDays", "must be from 1 to 3650")
        }
        let text = context.parameters.get("dynamicLink").flatMap { PercentEncoding.decode($0.utf8) }
        guard let text, let url = try? WebURL(text) else { throw Problem.notParsable(text ?? "") }
        guard let (domain, rest) = project.domains.having(url) else { throw Problem.notOwned(url.host) }
        // A link that nobody made has no events, as with Firebase, so that a report on many links goes on.
        guard let code = ShortLink.Code(String(rest.dropFirst())) else { throw Problem.entityNotFound }
        return try await DynamicLinkStatsResponse(
            clicks.counts(of: .short(domain, code: code.text), days: days))
    }
}

extension Request {
    /// Returns the body.
    func protoMessage() async throws -> ProtoMessage { try ProtoMessage(await JSONCoder().object(in: self)) }
}

extension Problem {
    static let entityNotFound = Problem(.notFound, "not_found", "Requested entity was not found.")
}
