import Foundation
import Graph
import Kernel
package import Postgres

/// Reads what an explanation shows in addition to the reasons, even about users and links that visitors may
/// not see.
package struct ExplanationStore: Sendable {
    package var db: Database

    package init(db: Database) {
        self.db = db
    }

    func name(_ name: Username.Key, of inviter: User.ID?) async throws -> Explanation.Name {
        let names = NameRecordStore(db: db)
        var known = try await Explanation.Name(name: name.text, ofInviter: [], now: names.find(name))
        if let inviter { known.ofInviter = try await names.periods(of: inviter, name) }
        return known
    }

    func user(_ id: User.ID) async throws -> UserRecord? { try await UserRecordStore(db: db).find(id) }

    func code(_ code: Invite.Code) async throws -> Explanation.Code {
        let found = try await db.bulk.first(
            """
            SELECT owner_id, kind, mode, uses, max_uses, created_at, expires_at, revoked_at,
                   CASE WHEN revoked_at IS NOT NULL THEN 'revoked' WHEN expires_at <= now() THEN 'expired'
                        WHEN uses >= max_uses THEN 'usedUp' ELSE 'inForce' END
            FROM invites WHERE code = \(code)
            """
        ) { row in
            let owner = try User.ID(row.next())
            var link = Explanation.Code(code: code.text, state: .unknown)
            link.kind = try row.next()
            link.friendship = try row.next()
            link.uses = try row.next()
            link.maxUses = try row.next()
            link.createdAt = try row.next()
            link.expiresAt = try row.next()
            link.revokedAt = try row.next()
            link.state = try .init(rawValue: row.next()) ?? .unknown
            return (owner: owner, link: link)
        }
        guard let found else { return Explanation.Code(code: code.text, state: .unknown) }
        var link = found.link
        link.owner = try await user(found.owner)
        if link.revokedAt != nil {
            var filter = AuditStore.Filter()
            (filter.user, filter.act, filter.code) = (found.owner, .revokeInvite, code.text)
            let act = try await AuditStore(db: db).list(filter, after: nil, limit: 1).items.first
            (link.revokedBy, link.revokeReason) = (act?.actor, act?.reason)
        }
        return link
    }
}
