import Foundation
package import Graph
import Kernel
package import Postgres

/// Reads the invite that an app claimed after its installation (`installs`), and notes who signed up by it.
package struct ClaimStore: ClaimedInvites {
    package var db: Database

    package init(db: Database) {
        self.db = db
    }

    package func find(_ claim: ClaimToken) async throws -> ClaimedInvite? {
        try await db.read.first(
            """
            SELECT \(ClaimedInvite.columns)
            FROM installs i JOIN users u ON u.id = i.inviter_id
            WHERE i.inviter_id = \(claim.inviter) AND i.claim_id = \(claim.id) AND i.expires_at > now()
            """
        ) { try ClaimedInvite(row: &$0, inviter: claim.inviter) }
    }

    /// Returns a statement that notes that a new user came with the claim, and removes what says which
    /// visitor they were. It ends the batch with `link_unusable` if another user came with it.
    static func use(_ claim: ClaimToken, by user: User.ID) -> Statement {
        """
        WITH used AS (
            UPDATE installs SET invitee_id = \(user), unit = NULL
            WHERE inviter_id = \(claim.inviter) AND claim_id = \(claim.id) AND expires_at > now()
              AND (invitee_id IS NULL OR invitee_id = \(user))
            RETURNING 1)
        SELECT require(EXISTS (SELECT 1 FROM used), \(InviteOutcome.linkUnusable))
        """
    }
}

extension ClaimedInvite {
    /// The columns that `init(row:inviter:)` reads, of a row `i` of `installs` and the inviter's row `u` of
    /// `users`.
    static let columns: Statement = "i.name_key, i.has_uid, i.code, i.confidence, i.unit, i.parts, u.uid"

    init(row: inout Row, inviter: User.ID) throws {
        let name = try Username.Key(of: row.next())
        let (hasUID, code): (Bool, String?) = try (row.next(), row.next())
        // A word that a later version wrote does not count as sure.
        let confidence = try Confidence(rawValue: row.next()) ?? .likely
        let (unit, visit) = try (row.next(as: UUID?.self), row.next(as: String?.self))
        let uid = try User.UID(stored: row.next())
        let reference: InviteReference =
            switch (hasUID, code) {
            case (true, let code?): .link(Invite.Code(stored: code), name, uid)
            case (true, nil): .name(name, uid)
            case (false, _): .name(name, nil)
            }
        self.init(inviter: inviter, reference: reference, confidence: confidence, unit: unit, visit: visit)
    }
}
