import Foundation
import Graph
import HTTPTypes
package import Hummingbird
package import Kernel
import Visits
import Web

/// The way through a store, which leaves the invite for the app's first start.
package extension LandingRoutes {
    /// `GET /users/{username}/app-store?invitedBy={uid}&code={code}` redirects to the app's page in the App
    /// Store. The App Store carries nothing on, so the tap is kept only if the operator wants likely matches.
    @Sendable func appStore(_ request: Request, context: AppContext) async throws -> Response {
        try await store(.ios, pages.app.appStoreURL, request, context)
    }

    /// `GET /users/{username}/play-store?invitedBy={uid}&code={code}` redirects to the app's page in Google
    /// Play. The referrer has the token of the tap, and behind it what a deep link put there with `referrer`.
    @Sendable func playStore(_ request: Request, context: AppContext) async throws -> Response {
        try await store(.android, pages.app.playStoreURL, request, context)
    }

    private func store(
        _ platform: AppPlatform, _ store: String?, _ request: Request, _ context: AppContext
    ) async throws -> Response {
        guard var store else { throw Problem.notFound() }
        // The referrer of a link is trusted, since its maker could make a link of the store as well.
        let carried = platform == .android ? (try? request.query.value("referrer")) ?? nil : nil
        // But only Kith may write a token.
        if let carried, !carried.isEmpty, LinkReferrer.read(carried).token == nil {
            store = store.addingReferrer(carried)
        }
        let inviter: User.Profile
        let link = try Self.userLink(request, context)
        switch try await decide(link).target {
        case .page(_, .none): return .found(store)
        case .page(let user, _), .redirect(let user): inviter = user
        case .notFound: throw Problem.notFound()
        }
        await count([.tap], request, of: inviter, nil, context)
        let unit = await tap(request, context)
        guard let token = try await leave(link, of: inviter, platform, unit, request, context) else {
            return .found(store)
        }
        return .found(platform == .android ? store.addingReferrer(LinkReferrer.text(token)) : store)
    }

    /// Leaves an invite. Nil if nobody could claim it, too many come from the address, or it cannot be
    /// written.
    private func leave(
        _ link: UserLink, of inviter: User.Profile, _ platform: AppPlatform, _ unit: UUID?,
        _ request: Request, _ context: AppContext
    ) async throws -> InstallToken? {
        let visitor = InstallVisitor(request)
        guard visitor.isOn(platform), let name = link.name else { return nil }
        let trace = try await traces.ofTap {
            VisitorFacts(
                address: context.address,
                osVersion: visitor.agent.iOSVersion.map { "\($0.major).\($0.minor)" },
                language: visitor.language)
        }
        guard platform == .android || trace != nil else { return nil }
        guard isAllowed(context.address) else {
            metrics.tapped(.limited)
            return nil
        }
        let token = InstallToken(
            inviter: User.ID(of: inviter.uid), id: UUID(bytes: world.randomBytes(16)))
        var parts = ClickParts()
        parts.addCampaign { (try? request.query.value($0)) ?? nil }
        let install = Install(
            token: token, app: app, platform: platform,
            reference: .init(
                name: name, hasUID: link.hasUID, code: link.hasUID ? try link.query.code : nil),
            facts: trace, unit: unit, parts: parts)
        // If it cannot be written, the store is worth more to the visitor than an error.
        do {
            try await taps.add(install)
        } catch {
            metrics.tapped(.lost)
            return nil
        }
        metrics.tapped(.left)
        return token
    }

    private func isAllowed(_ address: ClientAddress?) -> Bool {
        guard let limiter, let address else { return true }
        do {
            try limiter.require(.installs, address.subject)
            return true
        } catch {
            return false
        }
    }
}

/// What a request to go to a store shows about its visitor.
private struct InstallVisitor {
    let agent: UserAgent
    let device: Device
    /// Whether a visitor goes to the store. A browser that only looks ahead leaves nothing.
    let isGoing: Bool
    let language: String?

    init(_ request: Request) {
        agent = UserAgent(request.headers[.userAgent])
        device = Device(agent)
        isGoing = request.method == .get && !request.isUnopened
        language = request.headers[.acceptLanguage]
    }

    func isOn(_ platform: AppPlatform) -> Bool {
        isGoing && device.system == (platform == .ios ? .iOS : .android)
    }
}

extension String {
    /// Returns a URL of Google Play with an additional text in its `referrer`, which the installed app can
    /// read.
    func addingReferrer(_ text: String) -> String {
        let text = PercentEncoding.encode(text)
        guard let mark = utf8.firstIndex(of: UInt8(ascii: "?")) else { return "\(self)?referrer=\(text)" }
        let name = "referrer="
        let pairs = utf8[utf8.index(after: mark)...].split(separator: UInt8(ascii: "&"))
        guard let pair = pairs.first(where: { $0.starts(with: name.utf8) }) else {
            return "\(self)&referrer=\(text)"
        }
        let place = utf8.index(pair.startIndex, offsetBy: name.utf8.count)
        return "\(self[..<place])\(text)%26\(self[place...])"
    }
}
