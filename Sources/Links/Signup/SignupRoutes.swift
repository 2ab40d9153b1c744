import Foundation
package import Graph
package import Hummingbird
package import Kernel
import Visits
package import Web

/// The route `/v1/signup`.
package struct SignupRoutes {
    package let completion: SignupCompletion
    package let policy: UsernamePolicy
    package let avatarHosts: AvatarHosts
    package let links: InviteLinks
    package let apps: LinkedApps
    package let deepLink: DeepLinkReading
    package let countryHeader: String?
    package let world: World

    package init(
        completion: SignupCompletion, policy: UsernamePolicy, avatarHosts: AvatarHosts, links: InviteLinks,
        apps: LinkedApps, deepLink: @escaping DeepLinkReading, countryHeader: String?,
        world: World
    ) {
        self.completion = completion
        self.policy = policy
        self.avatarHosts = avatarHosts
        self.links = links
        self.apps = apps
        self.deepLink = deepLink
        self.countryHeader = countryHeader
        self.world = world
    }

    private struct SignupRequest: JSONBody {
        var username: String
        var displayName: String?
        var avatarUrl: String?
        var metadata: [String: String]?
        var invite: InviteReferenceRequest?
        /// The deep link that the claim of the installation named.
        var link: String?
        var platform: String?
        /// The app's bundle id or package.
        var app: String?

        enum CodingKeys: CodingKey, CaseIterable {
            case username, displayName, avatarUrl, metadata, invite, link, platform, app
        }

        static let fields = Set(CodingKeys.allCases.map(\.stringValue) + ["metadata.*"])
            .union(InviteReferenceRequest.fields.map { "invite.\($0)" })
    }

    package struct SignupResponse: ResponseEncodable {
        let user: UserResponse
        let invite: Invite
        /// The user's own permanent link. In a replay it is the current one.
        let link: PermanentInviteResponse?

        struct Invite: Encodable {
            var outcome: String
            var reason: String?
            var inviter: User.Profile?
            var friendship = InviteResult.none
        }
    }

    /// `POST /v1/signup` completes the sign-up of the caller.
    @Sendable package func signUp(
        _ request: Request, context: UserContext
    ) async throws -> EditedResponse<SignupResponse> {
        let signup = try await signup(request, context)
        return try await answering {
            let (receipt, isNew) = try await completion.complete(signup)
            return EditedResponse(status: isNew ? .created : .ok, response: answer(receipt, signup.uid))
        }
    }

    /// Answers after the service has closed: only users who signed up before get their answer again.
    @Sendable package func repeatSignUp(
        _ request: Request, context: UserContext
    ) async throws -> EditedResponse<SignupResponse> {
        let signup = try await signup(request, context)
        return try await answering {
            guard let receipt = try await completion.receipt(of: signup) else { throw Problem.serviceClosed }
            return EditedResponse(status: .ok, response: answer(receipt, signup.uid))
        }
    }

    private func signup(_ request: Request, _ context: UserContext) async throws -> Signup {
        let body = try await request.decode(as: SignupRequest.self, context: context)
        return try await Signup(
            uid: context.uid, username: policy.rules.username(body.username),
            displayName: DisplayName.requested(body.displayName),
            avatarUrl: AvatarURL.requested(body.avatarUrl, allowed: avatarHosts),
            metadata: User.Metadata.requested(body.metadata),
            invite: body.invite?.reference(links, field: "invite"),
            origin: origin(of: body, request, context),
            code: Invite.Code(random: world.randomBytes(Invite.Code.length)))
    }

    /// Returns where the user came from. A link that leads nowhere by now does not fail the sign-up.
    private func origin(
        of body: SignupRequest, _ request: Request, _ context: UserContext
    ) async throws -> SignupOrigin {
        var origin = SignupOrigin(request, context, countryHeader: countryHeader)
        let platform = try body.platform.map { text throws(Problem) in try AppPlatform.checked(text) }
        if let platform { origin.platform = Click.Platform(platform) }
        origin.app = apps.key(of: platform, body.app)
        guard let url = body.link else { return origin }
        do {
            let link = try await deepLink(url, url, apps.own, context.address)
            origin.link = link?.counted.text
            origin.campaign = link?.parameters[LinkParameter.utmCampaign.rawValue]
        } catch is Problem {
            // Such as too many links that do not exist, from one address.
        }
        return origin
    }

    private func answering(
        _ answer: () async throws -> EditedResponse<SignupResponse>
    ) async throws -> EditedResponse<SignupResponse> {
        do {
            return try await answer()
        } catch SignupError.usernameTaken {
            throw UsernameError.taken
        } catch SignupError.alreadySignedUp {
            throw Problem(.conflict, "already_signed_up", "This user has signed up with another username.")
        } catch SignupError.suspended {
            throw Problem.suspended
        } catch SignupError.deleted {
            throw Problem.accountDeleted
        }
    }

    private func answer(_ receipt: SignupReceipt, _ uid: User.UID) -> SignupResponse {
        let profile = User.Profile(
            uid: uid, username: receipt.username, displayName: receipt.displayName,
            avatarUrl: receipt.avatarUrl, metadata: receipt.metadata)
        let user = UserResponse(profile, User.Account(status: .active, createdAt: receipt.createdAt))
        let invite =
            switch receipt.outcome {
            case .accepted(let inviter, let friendship):
                SignupResponse.Invite(outcome: "accepted", inviter: inviter, friendship: friendship)
            case .ignored(let reason): SignupResponse.Invite(outcome: "ignored", reason: reason)
            case .none: SignupResponse.Invite(outcome: "none")
            }
        let link = receipt.link.map {
            PermanentInviteResponse(User.Profile(uid: uid, username: $0.username), code: $0.code, links)
        }
        return SignupResponse(user: user, invite: invite, link: link)
    }
}

extension SignupOrigin {
    /// Reads what the user's own app or browser says beside the body. A backend's call says nothing of the
    /// user.
    init(_ request: Request, _ context: UserContext, countryHeader: String?) {
        guard !context.isOfBackend else { return }
        let agent = UserAgent(request.headers[.userAgent])
        let browser = Click.Platform(agent)
        platform = browser == .other ? Click.Platform(ofApp: agent) : browser
        country = request.country(by: countryHeader)
        language = request.firstLanguage
    }
}
