import Foundation

// Links, claims and the sign-up.
extension KithClient {
    /// Reads a URL and keeps nothing: the same link on the web, or nil if it is none of the app's.
    public func link(in url: URL) -> URL? { KithLink.parse(url, links)?.url(links) }

    /// The permanent link of a user.
    public func url(of user: Profile) -> URL {
        KithLink.user(username: user.username, invitedBy: user.uid, code: nil).url(links)
    }

    /// Reads the URL that opened the app, and keeps it as the invite for the sign-up. Nil if it is none of
    /// the app's links.
    @discardableResult public func handle(url: URL) async throws -> KithLink? {
        guard let link = KithLink.parse(url, links) else { return nil }
        try await installation.keep(.link(link.url(links)))
        return link
    }

    /// Whether the URL is on a host of deep links: one of `wrappingHosts`, or of Firebase Dynamic Links.
    public func mayBeDeepLink(_ url: URL) -> Bool { links.wraps(url) }

    /// What stands in `myapp://google/link/?deep_link_id=…`, as the page of a deep link opens the app; nil
    /// for other URLs. Anybody can write such a URL, so look at the host before you show it.
    public func target(inScheme url: URL) -> URL? { links.target(inScheme: url) }

    /// Asks the server where a deep link leads by now that opened the app, or that the user scanned; nil if
    /// it is none, or leads nowhere. If it leads to an invite, this keeps that for the sign-up, as
    /// `handle(url:)` does. In a URL of the app's own scheme the target stands itself: see
    /// `target(inScheme:)`.
    /// - Parameter opened: the app, if the link opened it: then the opening counts.
    public func deepLink(_ url: URL, opened platform: InstallEvidence.Platform? = .ios) async throws
        -> DeepLink?
    {
        var link = target(inScheme: url).map { DeepLink(url: url, target: $0, parameters: [:]) }
        if link == nil { link = try await resolve(deepLink: url, opened: platform) }
        guard let link else { return nil }
        try await handle(url: link.target)
        return link
    }

    private func resolve(deepLink url: URL, opened platform: InstallEvidence.Platform?) async throws
        -> DeepLink?
    {
        let body = LinkToResolve(url: url.absoluteString, platform: platform)
        do {
            return try await send(Call(method: "POST", path: "/v1/links/resolve", body: body))
        } catch let problem as KithProblem where problem.code == .notFound {
            return nil
        }
    }

    /// Asks the server once by whose link this installation came; nil if nothing says so. The answer is kept
    /// until the sign-up. Call it at each start, and when the user pasted: it asks again only after a lost
    /// answer, or for something new.
    public func claimOnFirstLaunch(_ evidence: InstallEvidence) async throws -> KithClaim? {
        try await installation.claim(evidence) { [self] body in
            do {
                return try await send(
                    Call(method: "POST", path: "/v1/installs/claim", body: body), as: KithClaim.self)
            } catch let problem as KithProblem where problem.code == .claimNotFound {
                return nil
            }
        }
    }

    /// The invite to sign up with: the link that was opened last, or else the claim. It survives the app's
    /// end.
    public func pendingInvite() async throws -> KithInvite? { try await installation.invite }

    /// Forgets the invite: the user said no to it, or not now. Sign-up and `accept` forget by themselves what
    /// they used.
    public func forgetInvite() async throws { try await installation.forget(installation.invite) }

    /// Signs the user up. An invite that cannot be used does not fail it: `invite.outcome` says so. The same
    /// call again, as after a lost answer, gives the same answer. An invite that is only likely stays
    /// pending, until the user said whether it is theirs: then `accept` or `forgetInvite`.
    /// - Parameter invite: without it, the pending one.
    public func signUp(
        username: String, displayName: String? = nil, avatarUrl: String? = nil,
        metadata: [String: String]? = nil,
        invite: KithInvite? = nil
    ) async throws -> SignUp {
        let pending = try await installation.invite
        let used = invite ?? pending
        let body = SignUpRequest(
            username: username, displayName: displayName, avatarUrl: avatarUrl, metadata: metadata,
            invite: used.map(InviteReference.init))
        let answer: SignUp = try await send(Call(method: "POST", path: "/v1/signup", body: body))
        // Whether a likely inviter is right, the user has yet to say.
        let isOpen = used == pending && used?.isLikely == true && answer.invite.outcome == .accepted
        // If this cannot be stored, the user is signed up all the same.
        if !isOpen { try? await installation.forget(pending) }
        return answer
    }

    /// Tells who invites and what accepting makes; changes nothing.
    public func resolve(_ invite: KithInvite) async throws -> ResolvedInvite {
        try await send(Call(method: "POST", path: "/v1/invites/resolve", body: InviteReference(invite)))
    }

    /// Accepts an invite, for a user who has an account. One that is only likely makes friends, too, if the
    /// inviter's request waits for the user, as after the sign-up; so call it when the user said that this
    /// inviter invited them.
    public func accept(_ invite: KithInvite) async throws -> AcceptedInvite {
        let answer: AcceptedInvite = try await send(
            Call(method: "POST", path: "/v1/invites/accept", body: InviteReference(invite)))
        if try await installation.invite == invite { try await installation.forget(invite) }
        return answer
    }

    /// Tells whether the user could take a name; answers any text.
    public func availability(of username: String) async throws -> Availability {
        guard !username.isEmpty else {
            return Availability(username: "", available: false, reason: .tooShort)
        }
        return try await send(Call(path: "/v1/usernames/\(Call.part(username))"))
    }
}

private struct SignUpRequest: Encodable {
    let username: String
    let displayName, avatarUrl: String?
    let metadata: [String: String]?
    let invite: InviteReference?
}

/// An invite as the server reads it.
private struct LinkToResolve: Encodable {
    let url: String
    let platform: InstallEvidence.Platform?
}

private struct InviteReference: Encodable {
    var url, code, username, invitedBy, claim: String?

    init(_ invite: KithInvite) {
        switch invite {
        case .link(let link): url = link.absoluteString
        case .code(let text): code = text
        case .user(let name, let uid): (username, invitedBy) = (name, uid)
        case .claim(let answer): claim = answer.claim
        }
    }
}
