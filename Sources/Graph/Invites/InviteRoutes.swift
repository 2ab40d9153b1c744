import HTTPTypes
package import Hummingbird
package import Kernel
package import Web

/// The routes `/v1/me/invite` and `/v1/invites`.
package struct InviteRoutes {
    package let users: UserStore
    package let invites: InviteStore
    package let acceptance: InviteAcceptance
    package let links: InviteLinks
    package let cursors: Cursors
    package let world: World

    package init(
        users: UserStore, invites: InviteStore, acceptance: InviteAcceptance, links: InviteLinks,
        cursors: Cursors, world: World
    ) {
        self.users = users
        self.invites = invites
        self.acceptance = acceptance
        self.links = links
        self.cursors = cursors
        self.world = world
    }

    private func newCode() -> Invite.Code {
        Invite.Code(random: world.randomBytes(Invite.Code.length))
    }

    /// `GET /v1/me/invite` shows the caller's permanent link. The first call creates its short code.
    @Sendable package func permanent(
        _ request: Request, context: AccountContext
    ) async throws -> Response {
        let code = try await invites.personalCode(of: context.user.id, orNew: newCode())
        return try JSON.revalidated(
            PermanentInviteResponse(context.user.profile, code: code, links), for: request)
    }

    /// `POST /v1/me/invite/rotate` gives the permanent link a new short code. The old one stops working.
    @Sendable package func rotate(_ request: Request, context: AccountContext) async throws -> Response {
        let (owner, code) = (context.user, newCode())
        let answer = try JSON.data(PermanentInviteResponse(owner.profile, code: code, links))
        let key = try IdempotencyKey(request, call: "rotate", content: [String: String]())
        return try await creating(.ok, of: owner, key) {
            try await invites.rotatePersonal(to: code, for: owner.id, key: key?.answered(answer))
            return answer
        }
    }

    /// `POST /v1/invites` issues a custom link.
    @Sendable package func issue(_ request: Request, context: AccountContext) async throws -> Response {
        let (owner, code) = (context.user, newCode())
        let draft = try await request.decode(as: InviteRequest.self, context: context).validated()
        func answer(_ invite: Invite) throws -> [UInt8] {
            try JSON.data(InviteResponse(invite, of: owner.profile, links))
        }
        let key = try IdempotencyKey(request, call: "issue", content: draft)
        let answered = try key?.answered(answer(Invite(draft, as: code)))
        return try await creating(.created, of: owner, key) {
            try await answer(invites.issue(draft, as: code, owner: owner.id, key: answered))
        }
    }

    /// Runs a call that creates a link, or repeats its first answer if the key was used before.
    private func creating(
        _ status: HTTPResponse.Status, of owner: User, _ key: IdempotencyKey?,
        _ first: () async throws -> [UInt8]
    ) async throws -> Response {
        var response: Response
        do {
            response = JSON.response(try await first())
        } catch is IdempotencyKey.WasUsed {
            guard let key, let before = try await invites.answer(to: key, of: owner.id), before.isSameRequest
            else { throw IdempotencyKey.reused }
            // The owner's list has the link, so it exists, or is about to exist on its node of Citus.
            guard try await invites.exists(before.code) else { throw Problem.unavailable }
            response = JSON.response(before.body)
            response.headers[.idempotentReplayed] = "true"
        } catch let refusal as InviteIssueError {
            throw try await problem(of: refusal, to: owner)
        }
        response.status = status
        return response
    }

    private func problem(of refusal: InviteIssueError, to user: User) async throws -> Problem {
        switch refusal {
        case .invitingFrozen:
            return Problem(.forbidden, "inviting_frozen", "An operator has frozen your invites.")
        case .linkLimit:
            return Problem(
                .conflict, "link_limit", "You have reached the limit of links. Revoke one of them first.")
        case .usesExceeded:
            return Problem(
                .conflict, "uses_exceeded", "`maxUses` must not be less than `uses`.", field: "maxUses")
        case .rotationLimit:
            return try await Problem(
                .tooManyRequests, "rotation_limit", "You have reached the limit of new codes in 24 hours.",
                retryAfter: invites.rotationWait(of: user.id))
        }
    }

    package struct InvitesResponse: ResponseEncodable {
        let invites: [InviteResponse]
        let next: String?
    }

    /// `GET /v1/invites` lists the caller's custom links, newest first, by pages.
    @Sendable package func list(_ request: Request, context: AccountContext) async throws -> InvitesResponse {
        let list = Cursors.List(name: "invites", owner: context.user.id.uuid)
        let (after, limit) = try await cursors.page(request, of: list)
        let page = try await invites.list(of: context.user.id, after: after, limit: limit)
        return try await InvitesResponse(
            invites: page.items.map { InviteResponse($0, of: context.user.profile, links) },
            next: cursors.text(page.next, list))
    }

    /// `GET /v1/invites/{code}` shows a custom link of the caller.
    @Sendable package func show(_ request: Request, context: AccountContext) async throws -> InviteResponse {
        try await InviteResponse(find(context), of: context.user.profile, links)
    }

    package struct JoinedResponse: ResponseEncodable {
        let joined: [Joined]
        let next: String?
    }

    /// `GET /v1/invites/{code}/joined` lists the users who joined by a custom link of the caller, newest
    /// first, by pages.
    @Sendable package func joined(_ request: Request, context: AccountContext) async throws -> JoinedResponse
    {
        let invite = try await find(context)
        let list = Cursors.List(name: "joined \(invite.code)", owner: context.user.id.uuid)
        let (after, limit) = try await cursors.page(request, of: list)
        let page = try await invites.joined(
            through: invite.code, of: context.user.id, after: after, limit: limit)
        return try await JoinedResponse(joined: page.items, next: cursors.text(page.next, list))
    }

    /// `PATCH /v1/invites/{code}` changes a custom link of the caller. A revoked link stays revoked.
    @Sendable package func change(_ request: Request, context: AccountContext) async throws -> InviteResponse
    {
        let change = try await request.decode(as: InviteChangeRequest.self, context: context).validated()
        guard let code = context.parameters.get("code").flatMap({ Invite.Code($0) }) else {
            throw InviteError.notFound
        }
        do {
            guard let invite = try await invites.change(code, of: context.user.id, change) else {
                throw InviteError.notFound
            }
            return InviteResponse(invite, of: context.user.profile, links)
        } catch let refusal as InviteIssueError {
            throw try await problem(of: refusal, to: context.user)
        }
    }

    /// `DELETE /v1/invites/{code}` revokes a custom link of the caller.
    @Sendable package func revoke(_ request: Request, context: AccountContext) async throws -> InviteResponse
    {
        try await invites.revoke(find(context).code, owner: context.user.id)
        return try await InviteResponse(find(context), of: context.user.profile, links)
    }

    private func find(_ context: AccountContext) async throws -> Invite {
        guard let code = context.parameters.get("code").flatMap({ Invite.Code($0) }),
            let invite = try await invites.find(code, owner: context.user.id)
        else { throw InviteError.notFound }
        return invite
    }

    package struct ResolveResponse: ResponseEncodable {
        let inviter: User.Profile
        let proof: ProvenInvite.Proof
        let relationship: Relationship?
        /// What accepting makes, or what signing up makes of a user without an account, unless the inviter is
        /// against it.
        let friendship: InviteResult
    }

    /// `POST /v1/invites/resolve` returns the inviter, and changes nothing.
    @Sendable package func resolve(_ request: Request, context: CallerContext) async throws -> ResolveResponse
    {
        let reference = try await request.decode(as: InviteReferenceRequest.self, context: context)
            .reference(links)
        let account = try await users.account(of: context.caller.user)
        guard let uid = context.caller.user else {
            let invite = try await acceptance.proof.prove(reference, from: context.address)
            return ResolveResponse(
                inviter: invite.inviter, proof: invite.proof, relationship: nil,
                friendship: invite.friendshipForNewcomers)
        }
        let (invite, relationship, friendship) = try await acceptance.outlook(
            reference, for: uid, hasAccount: account != nil, from: context.address)
        return ResolveResponse(
            inviter: invite.inviter, proof: invite.proof, relationship: relationship, friendship: friendship)
    }

    package struct AcceptResponse: ResponseEncodable {
        let inviter: User.Profile
        let friendship: InviteResult
    }

    /// `POST /v1/invites/accept` accepts an invite for a caller with an account.
    @Sendable package func accept(_ request: Request, context: AccountContext) async throws -> AcceptResponse
    {
        let reference = try await request.decode(as: InviteReferenceRequest.self, context: context)
            .reference(links)
        let (invite, relationship) = try await acceptance.accept(
            reference, by: context.uid, from: context.address)
        return AcceptResponse(inviter: invite.inviter, friendship: InviteResult(relationship))
    }
}
