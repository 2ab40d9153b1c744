import Foundation
package import Graph
import HTTPTypes
package import Hummingbird
package import Kernel
import Web

/// Finds users and acts on their behalf, for operators. Each act has a reason, which the audit keeps.
package struct SupportRoutes {
    package let users: UserStore
    package let records: UserRecordStore
    package let names: NameRecordStore
    package let codes: ExplanationStore
    package let invites: InviteStore
    package let usernames: UsernameStore
    package let deletion: AccountDeletion
    package let undoing: InviteUndoing

    package init(
        users: UserStore, records: UserRecordStore, names: NameRecordStore, codes: ExplanationStore,
        invites: InviteStore, usernames: UsernameStore, deletion: AccountDeletion, undoing: InviteUndoing
    ) {
        self.users = users
        self.records = records
        self.names = names
        self.codes = codes
        self.invites = invites
        self.usernames = usernames
        self.deletion = deletion
        self.undoing = undoing
    }

    package struct FoundResponse: ResponseEncodable {
        let user: UserRecord
        /// The name or the code by which the user was searched.
        var name: NameRecord?
        var code: Explanation.Code?
    }

    /// `GET /v1/admin/users?uid=`, `?username=` or `?code=` finds a user, whatever their status. A name that
    /// was given up finds the user for whom it is held, or who had it last.
    @Sendable package func find(_ request: Request, context: AdminContext) async throws -> FoundResponse {
        let query = request.query
        switch (try query.value("uid"), try query.value("username"), try query.value("code")) {
        case (let text?, nil, nil):
            return FoundResponse(user: try await record(.checked(text)))
        case (nil, let text?, nil):
            let name = try await names.find(.pasted(text))
            guard let owner = name.owner else { throw Problem.userNotFound }
            return FoundResponse(user: try await record(User.UID(stored: owner.uid)), name: name)
        case (nil, nil, let text?):
            guard let code = Invite.Code(text) else {
                throw Problem.invalid("code", "must have 16 letters and digits")
            }
            let link = try await codes.code(code)
            guard let owner = link.owner else { throw Problem.userNotFound }
            return FoundResponse(user: owner, code: link)
        default: throw Problem.invalid("uid", "must be given, or else `username` or `code`")
        }
    }

    private func record(_ uid: User.UID) async throws -> UserRecord {
        guard let user = try await records.find(User.ID(of: uid)) else { throw Problem.userNotFound }
        return user
    }

    private struct RenameRequest: JSONBody {
        var username: String
        var reason: String
        var oldLinks: OldLinks?

        enum CodingKeys: CodingKey, CaseIterable { case username, reason, oldLinks }
    }

    /// `PUT /v1/admin/users/{uid}/username` renames a user, even during their cool-down.
    @Sendable package func rename(_ request: Request, context: AdminContext) async throws -> UserRecord {
        let body = try await request.decode(as: RenameRequest.self, context: context)
        let reason = try OperatorReason.requested(body.reason)
        let username = try usernames.policy.rules.username(body.username)
        let uid = try context.userInPath()
        let user = try await active(uid)
        if user.username != username.text {
            let severing = body.oldLinks == .sever
            let act = OperatorAct(
                by: context.actor, kind: .rename, user: user.id, reason: reason,
                details: ["oldLinks": severing ? "sever" : "forward"])
            try await Renaming(usernames: usernames, act: act).rename(
                user.id, to: username, severing: severing)
        }
        return try await record(uid)
    }

    /// Returns the account. Throws `userNotFound`, or a 403 that says that it is suspended or deleted.
    private func active(_ uid: User.UID) async throws -> User {
        let id = User.ID(of: uid)
        guard try await users.find(id) != nil else { throw Problem.userNotFound }
        return try await users.requireActive(id)
    }

    /// `DELETE /v1/admin/invites/{code}?reason=` revokes a custom link. A second call changes nothing. Throws
    /// `permanent_link` for the code of a permanent link, which only its user can change.
    @Sendable package func revoke(_ request: Request, context: AdminContext) async throws -> Explanation.Code
    {
        guard let text = try request.query.value("reason") else {
            throw Problem.invalid("reason", "is required")
        }
        let reason = try OperatorReason.requested(text)
        guard let code = context.parameters.get("code").flatMap({ Invite.Code($0) }),
            case let link = try await codes.code(code), let owner = link.owner
        else { throw Problem.notFound("invite_not_found", "Nobody has this code.") }
        guard link.kind != "personal" || link.state == .revoked else {
            throw Problem(
                .conflict, "permanent_link",
                "This code is of a permanent link. It stops working if its user rotates it, or by a freeze: PUT /v1/admin/users/{uid}/invite-freeze."
            )
        }
        let user = User.ID(of: User.UID(stored: owner.uid))
        let act = OperatorAct(
            by: context.actor, kind: .revokeInvite, user: user, reason: reason, details: ["code": code.text])
        try await invites.revoke(code, owner: user, noting: act)
        return try await codes.code(code)
    }

    private struct ReasonRequest: JSONBody {
        var reason: String

        enum CodingKeys: CodingKey, CaseIterable { case reason }
    }

    /// `POST /v1/admin/users/{uid}/deletion` deletes an account, even a suspended one. A second call changes
    /// nothing.
    @Sendable package func delete(_ request: Request, context: AdminContext) async throws -> UserRecord {
        let body = try await request.decode(as: ReasonRequest.self, context: context)
        let reason = try OperatorReason.requested(body.reason)
        let uid = try context.userInPath()
        let user = User.ID(of: uid)
        guard try await users.find(user) != nil else { throw Problem.userNotFound }
        try await deletion.delete(
            user, by: OperatorAct(by: context.actor, kind: .delete, user: user, reason: reason))
        return try await record(uid)
    }

    private struct UndoRequest: JSONBody {
        var reason: String
        var dryRun: Bool?

        enum CodingKeys: CodingKey, CaseIterable { case reason, dryRun }
    }

    package struct UndoResponse: ResponseEncodable {
        let uid: String
        let dryRun: Bool
        let users: Int
        let frozen: Int
        let ended: Int
        /// How many users of the branch, with its top, have invites that are not frozen.
        let unfrozen: Int
        /// How many friendships of invitees with their inviters are left. If there are any, call again.
        let friendships: Int
    }

    /// `POST /v1/admin/users/{uid}/undo-invites` freezes a branch of invites, and ends the friendship between
    /// each user in it and their inviter, some at a time. With `dryRun` it only counts.
    @Sendable package func undo(_ request: Request, context: AdminContext) async throws -> UndoResponse {
        let body = try await request.decode(as: UndoRequest.self, context: context)
        let reason = try OperatorReason.requested(body.reason)
        let uid = try context.userInPath()
        let user = User.ID(of: uid)
        let isDry = body.dryRun ?? false
        let act = OperatorAct(by: context.actor, kind: .undoInvites, user: user, reason: reason)
        let count = isDry ? try await undoing.count(user) : try await undoing.undo(user, act, reason: reason)
        guard let count else { throw Problem.userNotFound }
        return UndoResponse(
            uid: uid.text, dryRun: isDry, users: count.users, frozen: count.frozen, ended: count.ended,
            unfrozen: count.unfrozen, friendships: count.friendships)
    }
}

extension UserRecord: ResponseEncodable {}
extension Explanation.Code: ResponseEncodable {}
