import Counts
import Foundation
package import Graph
import HTTPTypes
package import Hummingbird
package import Kernel
package import Rollout
package import Visits
package import Web

/// The route `/v1/installs/claim`.
package struct InstallRoutes {
    package let users: UserStore
    package let installs: InstallStore
    package let traces: VisitorTraces
    package let proof: InviteProof
    /// The links by the keys of apps.
    package let links: [String: InviteLinks]
    /// Reads a URL in a text for the app with a key. Nil if it is not one of the app's deep links, or leads
    /// nowhere.
    package let deepLink: DeepLinkReading
    package let linkClaims: LinkClaimStore
    package let apps: LinkedApps
    /// The limiter. Nil if limits are off.
    package let limiter: RateLimiter?
    package let clicks: ClickRecorder
    package let experiments: ExperimentRecorder
    package let world: World

    package init(
        users: UserStore, installs: InstallStore, traces: VisitorTraces, proof: InviteProof,
        links: [String: InviteLinks],
        deepLink: @escaping DeepLinkReading, linkClaims: LinkClaimStore, apps: LinkedApps,
        limiter: RateLimiter?,
        clicks: ClickRecorder, experiments: ExperimentRecorder, world: World
    ) {
        self.users = users
        self.installs = installs
        self.traces = traces
        self.proof = proof
        self.links = links
        self.deepLink = deepLink
        self.linkClaims = linkClaims
        self.apps = apps
        self.limiter = limiter
        self.clicks = clicks
        self.experiments = experiments
        self.world = world
    }

    /// What an app can say at its first start.
    private struct ClaimRequest: JSONBody {
        var platform: String
        var installationId: String
        var app: String?
        /// The referrer as Google Play hands it out: `kith_claim=…`, `kith_link=…`, and perhaps more.
        var referrer: String?
        /// What the user pasted: a link, a text with a link in it, or a code.
        var pasteboard: String?
        var facts: Facts?

        struct Facts: Codable {
            var osVersion: String?
            var language: String?

            enum CodingKeys: CodingKey, CaseIterable { case osVersion, language }
        }

        enum CodingKeys: CodingKey, CaseIterable {
            case platform, installationId, app, referrer, pasteboard, facts
        }

        static let fields = Set(CodingKeys.allCases.map(\.stringValue))
            .union(Facts.CodingKeys.allCases.map { "facts.\($0.stringValue)" })
    }

    /// An invite, a deep link, or a deep link that is an invite.
    package struct ClaimResponse: ResponseEncodable {
        let confidence: ClaimedInvite.Confidence
        /// The name of the invite at sign-up: `{"invite": {"claim": …}}`. Nil without an invite, like the
        /// next three.
        let claim: String?
        let inviter: User.Profile?
        let proof: ProvenInvite.Proof?
        let friendship: InviteResult?
        let deepLink: DeepLink?

        struct DeepLink: Encodable {
            let url: String
            let target: String
            let parameters: [String: String]
        }
    }

    /// `POST /v1/installs/claim` tells an app at its first start whose link brought its user. What came
    /// through the store wins over a pasted link, and that over facts. The same installation with the same
    /// evidence gets the same claim again.
    @Sendable package func claim(_ request: Request, context: CallerContext) async throws -> ClaimResponse {
        let body = try await request.decode(as: ClaimRequest.self, context: context)
        let platform = try AppPlatform.checked(body.platform)
        guard let installation = InstallationID(body.installationId) else {
            throw Problem.invalid(
                "installationId", "must have 1 to 128 characters, without control characters")
        }
        guard body.referrer != nil || body.pasteboard != nil || body.facts != nil else {
            throw Problem.invalid("referrer", "or `pasteboard` or `facts` must be there: what the app knows")
        }
        _ = try await users.account(of: context.caller.user)
        guard let app = apps.key(of: platform, body.app) else { throw Self.notFound }
        let asked = ClaimCaller(
            platform: platform, app: app, installation: installation, address: context.address,
            id: UUID(bytes: world.randomBytes(16)))
        let found = try await find(body, asked)
        var invite: ProvenInvite?
        if let claim = found.claim {
            invite = try await provenInvite { try await proof.prove(claim.claimed) }
        }
        guard invite != nil || found.deepLink != nil else { throw Self.notFound }
        try await count(found, invite, asked, cameFromStore: body.referrer != nil)
        if let unit = found.claim?.claimed.unit {
            await experiments.note(Conversion(unit: unit, goal: .install))
        }
        let claim = invite == nil ? nil : found.claim
        return ClaimResponse(
            confidence: claim?.claimed.confidence ?? .exact, claim: claim?.token.text,
            inviter: invite?.inviter, proof: invite?.proof, friendship: invite?.friendshipForNewcomers,
            deepLink: found.deepLink.map { .init(url: $0.url, target: $0.target, parameters: $0.parameters) })
    }

    /// The caller.
    private struct ClaimCaller {
        let platform: AppPlatform
        let app: String
        let installation: InstallationID
        let address: ClientAddress?
        /// The id of a new claim.
        let id: UUID
    }

    /// What brought this installation.
    private struct InstallOrigin {
        var claim: InstallStore.Claim?
        var deepLink: ResolvedDeepLink?
    }

    /// Counts invite and deep link, each once for an installation.
    private func count(
        _ found: InstallOrigin, _ invite: ProvenInvite?, _ asked: ClaimCaller, cameFromStore: Bool
    )
        async throws
    {
        var links: [ClickedLink] = []
        if let invite, found.claim?.isNew == true {
            links =
                [.invites(of: invite.inviterID)] + [invite.code.map(ClickedLink.invite)].compactMap(\.self)
        }
        if let link = found.deepLink {
            // The claim of an invite has its own limit.
            if invite == nil, let address = asked.address {
                try limiter?.require(.installs, address.subject)
            }
            if try await linkClaims.add(link.counted, of: asked.installation) { links.append(link.counted) }
        }
        guard !links.isEmpty else { return }
        var visitor = ClickVisitor(platform: Click.Platform(asked.platform))
        visitor.parts.add(.app, asked.app)
        let visit = ClickParts.values(found.claim?.claimed.visit ?? "")
        visitor.parts.addCampaign { name in
            found.deepLink?.parameters[name] ?? CountDimension(rawValue: name).flatMap { visit[$0] }
        }
        await clicks.record(
            cameFromStore ? [.install, .firstOpen] : [.firstOpen], of: links, by: visitor)
    }

    private func find(_ body: ClaimRequest, _ asked: ClaimCaller) async throws -> InstallOrigin {
        if let referrer = body.referrer, let found = try await find(referrer: referrer, asked) {
            return found
        }
        if let text = body.pasteboard, let found = try await find(pasted: text, asked) { return found }
        let facts = VisitorFacts(
            address: asked.address, osVersion: body.facts?.osVersion, language: body.facts?.language)
        return InstallOrigin(
            claim: try await installs.claim(
                by: facts, traces, of: asked.app, on: asked.platform, for: asked.installation, as: asked.id)
        )
    }

    /// Finds what a referrer says. A tap that another installation claimed gives nothing, whatever link
    /// stands beside its token.
    private func find(referrer: String, _ asked: ClaimCaller) async throws -> InstallOrigin? {
        let (given, link) = LinkReferrer.read(referrer)
        let token = given.flatMap { InstallToken($0) }
        var claim: InstallStore.Claim?
        if let token {
            claim = try await installs.claim(
                token, of: asked.app, on: asked.platform, for: asked.installation, as: asked.id, .exact)
            if claim == nil { return nil }
        }
        guard let url = link, let link = try await deepLink(url, referrer, asked.app, asked.address)
        else {
            return claim.map { InstallOrigin(claim: $0) }
        }
        if token == nil { claim = try await self.claim(pasted: link.target, asked) }
        return InstallOrigin(claim: claim, deepLink: link)
    }

    private func find(pasted text: String, _ asked: ClaimCaller) async throws -> InstallOrigin? {
        for url in text.utf8.count <= WebURL.longest ? text.links() : [] {
            if let link = try await deepLink(
                url.withoutTextBehind(in: text), text, asked.app, asked.address)
            {
                return InstallOrigin(claim: try await claim(pasted: link.target, asked), deepLink: link)
            }
            if links[asked.app]?.isLast(url, in: text) == true { break }
        }
        return try await claim(pasted: text, asked).map { InstallOrigin(claim: $0) }
    }

    private func claim(pasted text: String, _ asked: ClaimCaller) async throws -> InstallStore.Claim? {
        guard let install = try await install(by: text, asked) else { return nil }
        return try await installs.claim(install, for: asked.installation, as: asked.id)
    }

    /// Returns the row for a pasted text. Nil if it has no invite of this server. The id is the same for the
    /// same link, app and installation.
    private func install(by text: String, _ asked: ClaimCaller) async throws -> Install? {
        guard let pasted = links[asked.app]?.invite(inPasted: text) else { return nil }
        let reference = pasted.reference
        guard
            let invite = try await provenInvite({ try await proof.prove(reference, from: asked.address) })
        else {
            return nil
        }
        if let address = asked.address { try limiter?.require(.installs, address.subject) }
        let name =
            switch reference {
            case .name(let name, _): invite.name?.key ?? name
            case .link(_, let name, _): name
            case .code, .claim, .unrecognised: Username.Key(of: invite.inviter.username)
            }
        let link = invite.code?.text ?? name.text
        let hasUID = invite.proof != .nameOnly
        let id = UUID(
            hashing: [
                asked.installation.hash.bytes, Array(asked.app.utf8), Array(link.utf8), [hasUID ? 1 : 0],
            ])
        var parts = ClickParts()
        parts.addCampaign(pasted.value(of:))
        return Install(
            token: InstallToken(inviter: invite.inviterID, id: id), app: asked.app, platform: asked.platform,
            reference: .init(name: name, hasUID: hasUID, code: invite.code),
            unit: pasted.visit, parts: parts)
    }

    /// Returns the invite. Nil if it leads to nobody.
    private func provenInvite(_ prove: () async throws -> ProvenInvite) async throws -> ProvenInvite? {
        do {
            return try await prove()
        } catch is InviteError {
            return nil
        }
    }

    private static let notFound = Problem.notFound(
        "claim_not_found", "Nothing says by whose link this installation came.")
}
