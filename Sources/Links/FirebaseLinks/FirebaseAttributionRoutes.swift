import Foundation
package import Graph
import HTTPTypes
package import Hummingbird
package import Kernel
package import Visits
package import Web

/// The calls with which Firebase's SDK for iPhones asked about links, under `/fdl/v1`.
package struct FirebaseAttributionRoutes {
    package let resolution: LinkResolution
    package let places: LinkURLs
    package let installs: InstallStore
    package let traces: VisitorTraces
    package let proof: InviteProof
    package let apps: LinkedApps
    package let linkClaims: LinkClaimStore
    /// The limiter. Nil if limits are off.
    package let limiter: RateLimiter?
    package let clicks: ClickRecorder
    package let world: World

    package init(
        resolution: LinkResolution, places: LinkURLs, installs: InstallStore, traces: VisitorTraces,
        proof: InviteProof, apps: LinkedApps, linkClaims: LinkClaimStore, limiter: RateLimiter?,
        clicks: ClickRecorder, world: World
    ) {
        self.resolution = resolution
        self.places = places
        self.installs = installs
        self.traces = traces
        self.proof = proof
        self.apps = apps
        self.linkClaims = linkClaims
        self.limiter = limiter
        self.clicks = clicks
        self.world = world
    }

    /// `POST installAttribution` tells an app at its first start which link brought it: the one that it has,
    /// or an invite that facts alone suggest, if the operator wants that.
    @Sendable package func install(
        _ request: Request, context: CallerContext
    ) async throws -> InstallAttributionResponse {
        let message = try await request.protoMessage()
        if let text = try message.text("uniqueMatchLinkToCheck"),
            let found = try await known(text, context.address)
        {
            var answer = InstallAttributionResponse("The app has the link.", for: context.address)
            answer.attributionConfidence = .unique
            answer.tell(found, places)
            try await countFirstOpen(found, message, context.address)
            return answer
        }
        guard let inviter = try await likelyInviter(message, context.address) else {
            return InstallAttributionResponse("No link is known to lead here.", for: context.address)
        }
        var answer = InstallAttributionResponse(
            "Address, system and language agree.", for: context.address)
        answer.attributionConfidence = .weak
        // A link with a uid would make friends of people who may not know each other.
        answer.deepLink = resolution.links.profile(inviter)
        return answer
    }

    /// `POST reopenAttribution` tells an app about a link that opened it.
    @Sendable package func reopen(
        _ request: Request, context: CallerContext
    ) async throws -> ReopenAttributionResponse {
        guard let text = try await request.protoMessage().text("requestedLink") else {
            throw Problem.invalid("requestedLink", "must be there")
        }
        let found = try await find(text, context.address)
        if let link = found.clicked { await count(.reopen, link, found.link) }
        return ReopenAttributionResponse(found)
    }

    private func count(_ event: Click.Event, _ clicked: ClickedLink, _ link: DeepLink) async {
        var visitor = ClickVisitor(platform: .ios)
        visitor.parts.addCampaign { LinkParameter(rawValue: $0).flatMap { link[$0] } }
        await clicks.record([event], of: [clicked], by: visitor)
    }

    /// Counts the first open, once for each installation.
    private func countFirstOpen(
        _ found: FoundDynamicLink, _ message: ProtoMessage, _ address: ClientAddress?
    ) async throws {
        guard let link = found.clicked, let installation = try installation(message, address) else { return }
        if let address { try limiter?.require(.installs, address.subject) }
        if try await linkClaims.add(link, of: installation) {
            await count(.firstOpen, link, found.link)
        }
    }

    /// Returns the link. Nil for one that leads nowhere.
    private func known(_ text: String, _ address: ClientAddress?) async throws -> FoundDynamicLink? {
        do {
            return try await find(text, address)
        } catch let problem as Problem
            where problem.status.kind == .clientError && problem.status != .tooManyRequests
        {
            return nil
        }
    }

    private func find(_ text: String, _ address: ClientAddress?) async throws -> FoundDynamicLink {
        guard let url = try? WebURL(text) else { throw Problem.notParsable(text) }
        do {
            if let found = try await resolution.find(url, of: text, from: address) {
                return FoundDynamicLink(
                    requested: text,
                    resolved: found.opened.code == nil ? text : found.link.long(in: found.opened.domain),
                    link: found.link, warnings: found.warnings, clicked: found.clicked)
            }
            guard resolution.project.targets.has(url.host),
                resolution.links.reference(in: url.text, of: text) != .unrecognised
            else { throw Problem.notOwned(url.host) }
            let target = try await resolution.current(url)
            return FoundDynamicLink(requested: text, resolved: target.text, link: DeepLink(target: target))
        } catch let error as DeepLinkError {
            throw error.firebaseProblem(text)
        } catch let problem as Problem where problem.status == .notFound {
            throw Problem.entityNotFound
        }
    }

    /// Returns the owner of the invite that the app's visitor tapped, as far as facts tell.
    private func likelyInviter(
        _ message: ProtoMessage, _ address: ClientAddress?
    ) async throws -> User.Profile? {
        let bundle = try message.text("bundleId")
        let language =
            try message.text("device.languageCodeFromWebview") ?? message.text("device.languageCode")
            ?? message.text("device.languageCodeRaw")
        let facts = VisitorFacts(
            address: address, osVersion: try message.text("iosVersion"), language: language)
        guard let app = apps.key(of: .ios, bundle), let installation = try installation(message, address),
            let claim = try await installs.claim(
                by: facts, traces, of: app, on: .ios, for: installation,
                as: UUID(bytes: world.randomBytes(16)))
        else { return nil }
        do {
            return try await proof.prove(claim.claimed).inviter
        } catch is InviteError {
            return nil
        }
    }

    /// Returns an id that is the same for the same installation, so that a repeated call gets the same
    /// answer. Firebase's SDK gave no id.
    private func installation(
        _ message: ProtoMessage, _ address: ClientAddress?
    ) throws(Problem) -> InstallationID? {
        let time = try message.text("appInstallationTime").map { Array($0.utf8) }
        let parts = [
            try message.text("bundleId") ?? "", try message.text("device.deviceModelName") ?? "",
            address.map { "\($0.subject)" } ?? "",
        ]
        return InstallationID(
            UUID(hashing: parts.map { Array($0.utf8) } + [time ?? world.randomBytes(16)]).uuidString)
    }
}
