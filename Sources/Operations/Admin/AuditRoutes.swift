import Foundation
package import Hummingbird
package import Kernel
import Web

/// The route `/v1/admin/audit`, for operators. Nothing changes or deletes what it lists.
package struct AuditRoutes {
    package let audit: AuditStore
    package let cursors: Cursors

    package init(audit: AuditStore, cursors: Cursors) {
        self.audit = audit
        self.cursors = cursors
    }

    package struct AuditResponse: ResponseEncodable {
        let acts: [AuditEntry]
        let next: String?
    }

    /// The owner of cursors of a list that belongs to no user.
    private static let all = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))

    /// `GET /v1/admin/audit?user=…` lists what operators did, newest first, by pages.
    @Sendable package func list(_ request: Request, context: AdminContext) async throws -> AuditResponse {
        let user = try request.query.value("user").map { text throws(Problem) in
            guard let uid = User.UID(text) else {
                throw .invalid("user", "must be a uid of 1 to 128 characters")
            }
            return User.ID(of: uid)
        }
        let list = Cursors.List(name: "audit", owner: user?.uuid ?? Self.all)
        let (after, limit) = try await cursors.page(request, of: list)
        let page = try await audit.list(about: user, after: after, limit: limit)
        return try await AuditResponse(acts: page.items, next: cursors.text(page.next, list))
    }
}
