import Foundation
import HTTPTypes
import Hummingbird

/// `/v1/installs/claim`.
struct InstallRoutes {
    let users: UserStore
    let installs: InstallStore
    let matching: InstallMatching
    let proof: InviteProof
    /// By the keys of apps.
    let links: [String: InviteLinks]
    let apps: LinkedApps
    /// Nil if limits are off.
    let limiter: RateLimiter?
    let world: World

    /// What an app can say at its first start.
    private struct ClaimRequest: RequestBody {
        var platform: String
        var installationId: String
        var app: String?
        /// As Google Play hands it out: `kith_claim=…`, and perhaps more.
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

    struct ClaimResponse: ResponseEncodable {
        /// Names the invite at sign-up: `{"invite": {"claim": …}}`.
        let claim: String
        let confidence: ClaimStore.Confidence
        let inviter: User.Profile
        let proof: ProvenInvite.Proof
        let friendship: InviteResult
    }

    /// `POST /v1/installs/claim` tells an app at its first start by whose link its user came. The token of the tap wins over a
    /// pasted link, and that over facts. The same installation with the same evidence gets the same claim again.
    @Sendable func claim(_ request: Request, context: CallerContext) async throws -> ClaimResponse {
        let body = try await request.decode(as: ClaimRequest.self, context: context)
        guard let platform = AppPlatform(rawValue: body.platform) else {
            throw Problem.invalid("platform", "must be ios or android")
        }
        guard let installation = InstallationID(body.installationId) else {
            throw Problem.invalid(
                "installationId", "must have 1 to 128 characters, without control characters")
        }
        guard body.referrer != nil || body.pasteboard != nil || body.facts != nil else {
            throw Problem.invalid("referrer", "or `pasteboard` or `facts` must be there: what the app knows")
        }
        _ = try await users.account(of: context.caller.user)
        guard let app = apps.key(of: platform, body.app) else { throw Self.notFound }
        guard let claim = try await claim(body, platform, installation, app, context.address),
            let invite = try await provenInvite({ try await proof.prove(claim.claimed) })
        else { throw Self.notFound }
        return ClaimResponse(
            claim: claim.token.text, confidence: claim.claimed.confidence, inviter: invite.inviter,
            proof: invite.proof, friendship: invite.friendshipForNewcomers)
    }

    private func claim(
        _ body: ClaimRequest, _ platform: AppPlatform, _ installation: InstallationID, _ app: String,
        _ address: ClientAddress?
    ) async throws -> InstallStore.Claim? {
        let id = UUID(bytes: world.randomBytes(16))
        if let token = body.referrer.flatMap(InstallToken.init(referrer:)),
            let claim = try await installs.claim(
                token, of: app, on: platform, for: installation, as: id, .exact)
        {
            return claim
        }
        if let text = body.pasteboard,
            let install = try await install(by: text, platform, installation, app, address),
            let claim = try await installs.claim(install, for: installation, as: id)
        {
            return claim
        }
        guard matching.isOn,
            let facts = VisitorFacts(
                address: address, osVersion: body.facts?.osVersion, language: body.facts?.language),
            let token = try await installs.likely(
                matching.traces(facts), of: app, for: installation)
        else { return nil }
        return try await installs.claim(token, of: app, on: platform, for: installation, as: id, .likely)
    }

    /// The row for a pasted text; nil if it has no invite of this server. Its id is the same for the same link, app and installation.
    private func install(
        by text: String, _ platform: AppPlatform, _ installation: InstallationID, _ app: String,
        _ address: ClientAddress?
    ) async throws -> Install? {
        guard let reference = links[app]?.reference(inPasted: text),
            let invite = try await provenInvite({ try await proof.prove(reference, from: address) })
        else {
            return nil
        }
        if let address { try limiter?.require(.installs, address.subject) }
        let name =
            switch reference {
            case .name(let name, _), .link(_, let name, _): name
            case .code, .claim, .unrecognised: Username.Key(of: invite.inviter.username)
            }
        let link = invite.code?.text ?? name.text
        let hasUID = invite.proof != .nameOnly
        let id = UUID(
            hashing: [installation.hash.bytes, Array(app.utf8), Array(link.utf8), [hasUID ? 1 : 0]])
        return Install(
            token: InstallToken(inviter: invite.inviterID, id: id), app: app, platform: platform,
            reference: .init(name: name, hasUID: hasUID, code: invite.code))
    }

    /// Nil for an invite that leads to nobody.
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

extension InstallToken {
    /// The name of the token in Google Play's referrer.
    private static let name = "kith_claim"

    /// The text for a store's `referrer`.
    var referrer: String { "\(Self.name)=\(text)" }

    /// The token in a referrer, which may have other pairs beside it.
    init?(referrer: String) {
        // Some hand it on as it stood in the store's URL, encoded once more.
        let texts = [referrer, PercentEncoding.decode(referrer.utf8) ?? ""]
        guard let text = texts.lazy.compactMap({ (try? Query($0).value(Self.name)) ?? nil }).first else {
            return nil
        }
        self.init(text)
    }
}
