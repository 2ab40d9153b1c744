import Foundation
package import Hummingbird
package import Kernel
import Web

/// Routes for invitees: `/v1/me/invitees` for the inviter, `/v1/admin/users/{uid}/invitees` for operators.
package struct InviteTreeRoutes {
    package let trees: InviteTreeStore
    package let cursors: Cursors

    package init(trees: InviteTreeStore, cursors: Cursors) {
        self.trees = trees
        self.cursors = cursors
    }

    package struct InviteesResponse: ResponseEncodable {
        let invitees: [Invitee]
        let next: String?
    }

    /// `GET /v1/me/invitees` lists users who signed up by the caller's invites, newest first, by pages.
    @Sendable package func invitees(_ request: Request, context: AccountContext) async throws
        -> InviteesResponse
    {
        let list = Cursors.List(name: "invitees", owner: context.user.id.uuid)
        let (after, limit) = try await cursors.page(request, of: list)
        let page = try await trees.invitees(of: context.user.id, after: after, limit: limit)
        return try await InviteesResponse(invitees: page.items, next: cursors.text(page.next, list))
    }

    package struct TreeResponse: ResponseEncodable {
        let uid: String
        let username: String?
        let status: String
        let invitedBy: String?
        let frozen: InviteTree.Freeze?
        let below: [InviteTree.Level]
        let total: Int
        let complete: Bool
        let invitees: [InviteTree.Node]
        let next: String?
    }

    /// `GET /v1/admin/users/{uid}/invitees` counts the tree below a user by depth, and lists its first level
    /// by pages. A call with a child's uid goes deeper.
    @Sendable package func tree(_ request: Request, context: AdminContext) async throws -> TreeResponse {
        let user = try context.userInPath()
        let id = User.ID(of: user)
        let list = Cursors.List(name: "tree", owner: id.uuid)
        let (after, limit) = try await cursors.page(request, of: list)
        guard let tree = try await trees.tree(below: id) else { throw Problem.userNotFound }
        let page = try await trees.children(of: id, after: after, limit: limit)
        return try await TreeResponse(
            uid: tree.root.uid, username: tree.root.username, status: tree.root.status,
            invitedBy: tree.invitedBy, frozen: tree.root.frozen, below: tree.below,
            total: tree.below.reduce(0) { $0 + $1.users }, complete: tree.isComplete,
            invitees: page.items, next: cursors.text(page.next, list))
    }

    private struct FreezeRequest: JSONBody {
        var reason: String

        enum CodingKeys: CodingKey, CaseIterable { case reason }
    }

    package struct FreezeResponse: ResponseEncodable {
        let uid: String
        /// How many users this call changed.
        let users: Int
    }

    /// `PUT /v1/admin/users/{uid}/invite-freeze` freezes the invites of a user and of everyone below them.
    @Sendable package func freeze(_ request: Request, context: AdminContext) async throws -> FreezeResponse {
        let body = try await request.decode(as: FreezeRequest.self, context: context)
        let reason = try OperatorReason.requested(body.reason)
        let user = try context.userInPath()
        let id = User.ID(of: user)
        let act = OperatorAct(by: context.actor, kind: .freeze, user: id, reason: reason)
        guard let count = try await trees.freeze(id, reason: reason, noting: act) else {
            throw Problem.userNotFound
        }
        return FreezeResponse(uid: user.text, users: count)
    }

    /// `DELETE /v1/admin/users/{uid}/invite-freeze?reason=…` unfreezes the invites of a user and of everyone
    /// below them.
    @Sendable package func unfreeze(_ request: Request, context: AdminContext) async throws -> FreezeResponse
    {
        let user = try context.userInPath()
        let id = User.ID(of: user)
        let act = try OperatorAct(
            by: context.actor, kind: .unfreeze, user: id, reason: .given(request.query))
        guard let count = try await trees.unfreeze(id, noting: act) else { throw Problem.userNotFound }
        return FreezeResponse(uid: user.text, users: count)
    }
}
