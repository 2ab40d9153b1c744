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

    /// `GET /v1/me/invite` shows the caller's permanent link; its short code is made at the first call.
    @Sendable func permanent(_ request: Request, context: UserContext) async throws -> Response {
        let owner = try await users.requireActive(context.userID).profile
        do {
            let code = try await invites.personalCode(of: context.userID, orNew: newCode())
            return try JSON.response(PermanentInviteResponse(owner, code: code, links))
        } catch let refusal as InviteIssueError {
            throw try await problem(of: refusal, to: context.userID)
        }
    }

    /// `POST /v1/me/invite/rotate` gives the permanent link a new short code; the old one is dead.
    @Sendable func rotate(_ request: Request, context: UserContext) async throws -> Response {
        let owner = try await users.requireActive(context.userID).profile
        let key = try IdempotencyKey(request, call: "rotate", content: "")
        let code = newCode()
        return try await replayable(key, owner: context.userID) {
            try await invites.rotatePersonal(to: code, for: context.userID, key: key)
            return try JSON.response(PermanentInviteResponse(owner, code: code, links))
        } replay: { code in
            try JSON.response(PermanentInviteResponse(owner, code: code, links))
        }
    }

    /// `POST /v1/invites` issues an extra link.
    @Sendable func issue(_ request: Request, context: UserContext) async throws -> Response {
        let draft = try await request.body(as: InviteRequest.self).validated()
        let key = try IdempotencyKey(request, call: "issue", content: "\(draft)")
        let owner = try await users.requireActive(context.userID).profile
        return try await replayable(key, owner: context.userID) {
            let invite = try await invites.issue(draft, as: newCode(), owner: context.userID, key: key)
            return try JSON.response(InviteResponse(invite, of: owner, links), status: .created)
        } replay: { code in
            guard let invite = try await invites.find(code, owner: context.userID) else {
                throw IdempotencyKey.reused
            }
            return try JSON.response(InviteResponse(invite, of: owner, links))
        }
    }

    /// Runs a call that creates, or answers like its first time where the key says it ran before.
    private func replayable(
        _ key: IdempotencyKey?, owner: User.ID, _ first: () async throws -> Response,
        replay: (Invite.Code) async throws -> Response
    ) async throws -> Response {
        do {
            return try await first()
        } catch is IdempotencyKeyReusedError {
            guard let key, let before = try await invites.issued(by: owner, key: key), before.isSameRequest
            else { throw IdempotencyKey.reused }
            var response = try await replay(before.code)
            response.headers[.idempotentReplayed] = "true"
            return response
        } catch let refusal as InviteIssueError {
            throw try await problem(of: refusal, to: owner)
        }
    }

    private func problem(of refusal: InviteIssueError, to user: User.ID) async throws -> Problem {
        switch refusal {
        case .notActive:
            // Says which of both it is; who is active by now may call again.
            _ = try await users.requireActive(user)
            return .unavailable
        case .invitingFrozen:
            return Problem(.forbidden, "inviting_frozen", "An operator has frozen your invites.")
        case .linkLimit:
            return Problem(
                .conflict, "link_limit", "You have as many links as are allowed. Revoke one of them first.")
        case .rotationLimit:
            return try await Problem(
                .tooManyRequests, "rotation_limit", "The code was replaced as often as is allowed in a day.",
                retryAfter: invites.rotationWait(of: user))
        }
    }

    private struct InvitesResponse: Encodable {
        let invites: [InviteResponse]
        let next: String?
    }

    /// `GET /v1/invites` lists the caller's extra links, newest first, by pages.
    @Sendable func list(_ request: Request, context: UserContext) async throws -> Response {
        let owner = try await users.requireActive(context.userID).profile
        let limit = try request.query.limit()
        let list = Cursors.List(name: "invites", owner: context.userID.uuid)
        let after = try await cursors.read(request.query.value("after"), list)
        let page = try await invites.list(of: context.userID, after: after, limit: limit)
        return try await JSON.response(
            InvitesResponse(
                invites: page.items.map { InviteResponse($0, of: owner, links) },
                next: cursors.text(page.next, list)))
    }

    /// `GET /v1/invites/{code}` shows an extra link of the caller, with who came through it, by pages.
    @Sendable func show(_ request: Request, context: UserContext) async throws -> Response {
        let owner = try await users.requireActive(context.userID).profile
        let invite = try await find(context)
        let limit = try request.query.limit()
        let list = Cursors.List(name: "joined \(invite.code)", owner: context.userID.uuid)
        let after = try await cursors.read(request.query.value("after"), list)
        let page = try await invites.joined(
            through: invite.code, of: context.userID, after: after, limit: limit)
        var body = InviteResponse(invite, of: owner, links)
        body.joined = page.items.map {
            InviteResponse.JoinedResponse(
                uid: $0.profile.uid, username: $0.profile.username, displayName: $0.profile.displayName,
                at: $0.at)
        }
        body.next = try await cursors.text(page.next, list)
        return try JSON.response(body)
    }

    /// `DELETE /v1/invites/{code}` revokes an extra link of the caller.
    @Sendable func revoke(_ request: Request, context: UserContext) async throws -> Response {
        let owner = try await users.requireActive(context.userID).profile
        try await invites.revoke(find(context).code, owner: context.userID)
        return try await JSON.response(InviteResponse(find(context), of: owner, links))
    }

    private func find(_ context: UserContext) async throws -> Invite {
        guard let code = context.parameters.get("code").flatMap({ Invite.Code($0) }),
            let invite = try await invites.find(code, owner: context.userID)
        else { throw InviteError.notFound.problem }
        return invite
    }

    private struct ResolveResponse: Encodable {
        let inviter: User.Profile
        let proof: ProvenInvite.Proof
        let relationship: Relationship?
    }

    /// `POST /v1/invites/resolve` tells who invites, and changes nothing.
    @Sendable func resolve(_ request: Request, context: CallerContext) async throws -> Response {
        let reference = try await request.body(as: InviteReferenceRequest.self).reference(links)
        try await users.refuseInactive(context.caller.user)
        do {
            guard let uid = context.caller.user else {
                let invite = try await guesses.lookingUp(reference.code, from: context.address) {
                    try await acceptance.proof.prove(reference)
                }
                return try JSON.response(
                    ResolveResponse(inviter: invite.inviter, proof: invite.proof, relationship: nil))
            }
            let (invite, row) = try await guesses.lookingUp(reference.code, from: context.address) {
                try await acceptance.find(reference, by: uid)
            }
            return try JSON.response(
                ResolveResponse(inviter: invite.inviter, proof: invite.proof, relationship: row.relationship))
        } catch let refusal as InviteError {
            throw refusal.problem
        }
    }

    private struct AcceptResponse: Encodable {
        let inviter: User.Profile
        let friendship: InviteResult
        let attributed = false
    }

    /// `POST /v1/invites/accept` lets one who has an account accept an invite.
    @Sendable func accept(_ request: Request, context: UserContext) async throws -> Response {
        let reference = try await request.body(as: InviteReferenceRequest.self).reference(links)
        _ = try await users.requireActive(context.userID)
        do {
            let (invite, relationship) = try await guesses.lookingUp(
                reference.code, from: context.address
            ) { try await acceptance.accept(reference, by: context.uid) }
            return try JSON.response(
                AcceptResponse(inviter: invite.inviter, friendship: InviteResult(relationship)))
        } catch is AccountError {
            throw try await users.problem(ofInactive: context.userID)
        } catch let refusal as InviteError {
            throw refusal.problem
        } catch let refusal as FriendError {
            throw refusal.problem
        }
    }
}
