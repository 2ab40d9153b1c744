import Hummingbird

/// `/v1/me/invite` and `/v1/invites`.
struct InviteRoutes {
    let users: UserStore
    let invites: InviteStore
    let acceptance: InviteAcceptance
    let links: InviteLinks
    let cursors: Cursors
    let world: World
    let guesses: CodeGuesses

    private func newCode() -> Invite.Code {
        Invite.Code(random: world.randomBytes(Invite.Code.length))
    }

    /// `GET /v1/me/invite` shows the caller's permanent link; the first call creates its short code.
    @Sendable func permanent(
        _ request: Request, context: AccountContext
    ) async throws -> PermanentInviteResponse {
        let code = try await invites.personalCode(of: context.user.id, orNew: newCode())
        return PermanentInviteResponse(context.user.profile, code: code, links)
    }

    /// `POST /v1/me/invite/rotate` gives the permanent link a new short code; the old one stops working.
    @Sendable func rotate(
        _ request: Request, context: AccountContext
    ) async throws -> EditedResponse<PermanentInviteResponse> {
        let owner = context.user.profile
        let key = try IdempotencyKey(request, call: "rotate", content: "")
        let code = newCode()
        return try await replayable(key, owner: context.user) {
            try await invites.rotatePersonal(to: code, for: context.user.id, key: key)
            return EditedResponse(response: PermanentInviteResponse(owner, code: code, links))
        } replay: { code in
            PermanentInviteResponse(owner, code: code, links)
        }
    }

    /// `POST /v1/invites` issues a custom link.
    @Sendable func issue(
        _ request: Request, context: AccountContext
    ) async throws -> EditedResponse<InviteResponse> {
        let owner = context.user.profile
        let draft = try await request.decode(as: InviteRequest.self, context: context).validated()
        let key = try IdempotencyKey(request, call: "issue", content: "\(draft)")
        return try await replayable(key, owner: context.user) {
            let invite = try await invites.issue(draft, as: newCode(), owner: context.user.id, key: key)
            return EditedResponse(status: .created, response: InviteResponse(invite, of: owner, links))
        } replay: { code in
            // The owner's list has it, so the link is there, or is about to be on its node of Citus.
            guard let invite = try await invites.find(code, owner: context.user.id) else {
                throw Problem.unavailable
            }
            return InviteResponse(invite, of: owner, links)
        }
    }

    /// Runs a call that creates a link, or repeats its first answer if the key was used before.
    private func replayable<Answer>(
        _ key: IdempotencyKey?, owner: User, _ first: () async throws -> EditedResponse<Answer>,
        replay: (Invite.Code) async throws -> Answer
    ) async throws -> EditedResponse<Answer> {
        do {
            return try await first()
        } catch is IdempotencyKeyReusedError {
            guard let key, let before = try await invites.issued(by: owner.id, key: key), before.isSameRequest
            else { throw IdempotencyKey.reused }
            return try await EditedResponse(
                headers: [.idempotentReplayed: "true"], response: replay(before.code))
        } catch let refusal as InviteIssueError {
            throw try await problem(of: refusal, to: owner)
        }
    }

    private func problem(of refusal: InviteIssueError, to user: User) async throws -> Problem {
        switch refusal {
        case .invitingFrozen:
            return Problem(.forbidden, "inviting_frozen", "An operator has frozen your invites.")
        case .linkLimit:
            return Problem(
                .conflict, "link_limit", "You have reached the limit of links. Revoke one of them first.")
        case .rotationLimit:
            return try await Problem(
                .tooManyRequests, "rotation_limit", "You have reached the limit of new codes in 24 hours.",
                retryAfter: invites.rotationWait(of: user.id))
        }
    }

    struct InvitesResponse: ResponseEncodable {
        let invites: [InviteResponse]
        let next: String?
    }

    /// `GET /v1/invites` lists the caller's custom links, newest first, by pages.
    @Sendable func list(_ request: Request, context: AccountContext) async throws -> InvitesResponse {
        let list = Cursors.List(name: "invites", owner: context.user.id.uuid)
        let (after, limit) = try await cursors.page(request, of: list)
        let page = try await invites.list(of: context.user.id, after: after, limit: limit)
        return try await InvitesResponse(
            invites: page.items.map { InviteResponse($0, of: context.user.profile, links) },
            next: cursors.text(page.next, list))
    }

    /// `GET /v1/invites/{code}` shows a custom link of the caller.
    @Sendable func show(_ request: Request, context: AccountContext) async throws -> InviteResponse {
        try await InviteResponse(find(context), of: context.user.profile, links)
    }

    struct JoinedResponse: ResponseEncodable {
        let joined: [Joined]
        let next: String?
    }

    /// `GET /v1/invites/{code}/joined` lists the users who joined by a custom link of the caller, newest first, by pages.
    @Sendable func joined(_ request: Request, context: AccountContext) async throws -> JoinedResponse {
        let invite = try await find(context)
        let list = Cursors.List(name: "joined \(invite.code)", owner: context.user.id.uuid)
        let (after, limit) = try await cursors.page(request, of: list)
        let page = try await invites.joined(
            through: invite.code, of: context.user.id, after: after, limit: limit)
        return try await JoinedResponse(joined: page.items, next: cursors.text(page.next, list))
    }

    /// `DELETE /v1/invites/{code}` revokes a custom link of the caller.
    @Sendable func revoke(_ request: Request, context: AccountContext) async throws -> InviteResponse {
        try await invites.revoke(find(context).code, owner: context.user.id)
        return try await InviteResponse(find(context), of: context.user.profile, links)
    }

    private func find(_ context: AccountContext) async throws -> Invite {
        guard let code = context.parameters.get("code").flatMap({ Invite.Code($0) }),
            let invite = try await invites.find(code, owner: context.user.id)
        else { throw InviteError.notFound }
        return invite
    }

    struct ResolveResponse: ResponseEncodable {
        let inviter: User.Profile
        let proof: ProvenInvite.Proof
        let relationship: Relationship?
        /// What accepting makes, or signing up of one without an account, unless the inviter is against it.
        let friendship: InviteResult
    }

    /// `POST /v1/invites/resolve` returns the inviter, and changes nothing.
    @Sendable func resolve(_ request: Request, context: CallerContext) async throws -> ResolveResponse {
        let reference = try await request.decode(as: InviteReferenceRequest.self, context: context)
            .reference(links)
        let account = try await users.account(of: context.caller.user)
        return try await guesses.lookingUp(reference.code, from: context.address) {
            guard let uid = context.caller.user else {
                let invite = try await acceptance.proof.prove(reference)
                return ResolveResponse(
                    inviter: invite.inviter, proof: invite.proof, relationship: nil,
                    friendship: InviteResult(invite.friendship))
            }
            let (invite, row) = try await acceptance.find(reference, by: uid)
            let friendship = account == nil ? invite.friendship : invite.friendshipForMembers
            return ResolveResponse(
                inviter: invite.inviter, proof: invite.proof, relationship: row.relationship,
                friendship: row.relationship == .friends ? .friends : InviteResult(friendship))
        }
    }

    struct AcceptResponse: ResponseEncodable {
        let inviter: User.Profile
        let friendship: InviteResult
    }

    /// `POST /v1/invites/accept` accepts an invite for a caller with an account.
    @Sendable func accept(_ request: Request, context: AccountContext) async throws -> AcceptResponse {
        let reference = try await request.decode(as: InviteReferenceRequest.self, context: context)
            .reference(links)
        return try await guesses.lookingUp(reference.code, from: context.address) {
            let (invite, relationship) = try await acceptance.accept(reference, by: context.uid)
            return AcceptResponse(inviter: invite.inviter, friendship: InviteResult(relationship))
        }
    }
}
