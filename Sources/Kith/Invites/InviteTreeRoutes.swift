import Foundation
import Hummingbird

/// Invited users: `/v1/me/invited` for the inviter, `/v1/users/{uid}/invited` for operators.
struct InviteTreeRoutes {
    let trees: InviteTreeStore
    let cursors: Cursors

    struct InvitedResponse: ResponseEncodable {
        let invited: [Invited]
        let next: String?
    }

    /// `GET /v1/me/invited` lists users who signed up by the caller's invites, newest first, by pages.
    @Sendable func invited(_ request: Request, context: AccountContext) async throws -> InvitedResponse {
        let list = Cursors.List(name: "invited", owner: context.user.id.uuid)
        let (after, limit) = try await cursors.page(request, of: list)
        let page = try await trees.invited(by: context.user.id, after: after, limit: limit)
        return try await InvitedResponse(invited: page.items, next: cursors.text(page.next, list))
    }

    struct TreeResponse: ResponseEncodable {
        let uid: String
        let username: String?
        let status: String
        let invitedBy: String?
        let frozen: InviteTree.Freeze?
        let below: [InviteTree.Level]
        let total: Int
        let complete: Bool
        let invited: [ChildResponse]
        let next: String?
    }

    struct ChildResponse: Encodable {
        let uid: String
        let username: String?
        let status: String
        let at: Date?
        let frozen: Bool
    }

    /// `GET /v1/users/{uid}/invited` counts the tree below a user by depth, and lists its first level by pages; call it with
    /// a child's uid to go deeper.
    @Sendable func tree(_ request: Request, context: AdminContext) async throws -> TreeResponse {
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
            invited: page.items.map {
                ChildResponse(
                    uid: $0.uid, username: $0.username, status: $0.status, at: $0.at, frozen: $0.frozen != nil
                )
            }, next: cursors.text(page.next, list))
    }

    private struct FreezeRequest: RequestBody {
        var reason: String

        enum CodingKeys: CodingKey, CaseIterable { case reason }
    }

    struct FreezeResponse: ResponseEncodable {
        let uid: String
        let frozen: Bool
        /// How many users this call changed.
        let users: Int
    }

    /// `PUT /v1/users/{uid}/invited/freeze` freezes the invites of a user and of everyone below them.
    @Sendable func freeze(_ request: Request, context: AdminContext) async throws -> FreezeResponse {
        let body = try await request.decode(as: FreezeRequest.self, context: context)
        let reason = try OperatorReason.requested(body.reason)
        let user = try context.userInPath()
        guard let count = try await trees.freeze(User.ID(of: user), reason: reason) else {
            throw Problem.userNotFound
        }
        return FreezeResponse(uid: user.text, frozen: true, users: count)
    }

    /// `DELETE /v1/users/{uid}/invited/freeze` unfreezes the invites of a user and of everyone below them.
    @Sendable func unfreeze(_ request: Request, context: AdminContext) async throws -> FreezeResponse {
        let user = try context.userInPath()
        guard let count = try await trees.unfreeze(User.ID(of: user)) else { throw Problem.userNotFound }
        return FreezeResponse(uid: user.text, frozen: false, users: count)
    }
}
