import Events
import Foundation
import Graph
import Kernel
package import Postgres
import Visits
import Web

/// Every statement on `installs`, except those of `ClaimStore`.
package struct InstallStore: Sendable {
    package var db: Database

    package init(db: Database) {
        self.db = db
    }

    /// What an installation claimed.
    struct Claim: Sendable {
        var token: ClaimToken
        var claimed: ClaimedInvite
        /// Whether this call claimed it.
        var isNew: Bool
    }

    /// Writes taps in one statement, except taps on the link of an account that is deleted meanwhile.
    package func leave(_ installs: [Install]) async throws {
        let inviters = installs.map(\.token.inviter)
        // Visitors wait for this.
        let boundLocks: Statement = "SET LOCAL lock_timeout = '500ms'"
        let holds = Set(inviters.map(\.uuid)).sorted { $0.uuidString < $1.uuidString }.map {
            Self.hold(User.ID($0))
        }
        try await db.write.with(deadline: .seconds(2)).batch(
            [boundLocks] + holds + [
                """
                INSERT INTO installs (inviter_id, id, app, platform, name_key, has_uid, code, facts, unit, parts, expires_at)
                SELECT t.inviter_id, t.id, t.app, t.platform, t.name_key, t.has_uid, nullif(t.code, ''),
                       nullif(t.facts, \(UUID.zero)), nullif(t.unit, \(UUID.zero)), nullif(t.parts, ''), now() + \(Self.lifetime)
                FROM unnest(\(inviters.map(\.uuid)), \(installs.map(\.token.id)), \(installs.map(\.app)),
                            \(installs.map(\.platform.rawValue)), \(installs.map(\.reference.name.text)),
                            \(installs.map(\.reference.hasUID)), \(installs.map { $0.reference.code?.text ?? "" }),
                            \(installs.map { $0.facts ?? .zero }), \(installs.map { $0.unit ?? .zero }),
                            \(installs.map(\.parts.text)))
                     AS t (inviter_id, id, app, platform, name_key, has_uid, code, facts, unit, parts)
                WHERE t.inviter_id IN (
                    SELECT u.id FROM users u WHERE u.id = ANY(\(inviters.map(\.uuid))) AND \(UserStore.isVisible()))
                """
            ])
    }

    /// Returns a statement that goes before one that writes for an active inviter. So `forgetMore` waits for
    /// it, and finds its rows. It does not hold up anything else that locks or changes the user.
    private static func hold(_ inviter: User.ID) -> Statement {
        "SELECT 1 FROM users WHERE id = \(inviter) FOR KEY SHARE"
    }

    /// Gives the row of a tap to the first installation that asks, and returns the same to it again. Nil if
    /// the row belongs to another installation, app or system, or is missing.
    func claim(
        _ token: InstallToken, of app: String, on platform: AppPlatform, for installation: InstallationID,
        as claim: UUID, _ confidence: ClaimedInvite.Confidence
    ) async throws -> Claim? {
        try await batch(
            [],
            """
            UPDATE installs
            SET installation = \(installation.hash), claim_id = \(claim), confidence = \(confidence.rawValue),
                claimed_at = now(), expires_at = now() + \(Self.lifetime)
            WHERE inviter_id = \(token.inviter) AND id = \(token.id) AND app = \(app)
              AND platform = \(platform.rawValue) AND claim_id IS NULL AND expires_at > now()
            """, claim, token, app, installation)
    }

    /// Writes the claim of an installation that has the link itself. The token is the same for the same link
    /// and installation. Nil if the inviter's account was deleted meanwhile.
    func claim(_ install: Install, for installation: InstallationID, as claim: UUID) async throws -> Claim? {
        let (token, reference) = (install.token, install.reference)
        return try await batch(
            [Self.hold(token.inviter)],
            """
            INSERT INTO installs (inviter_id, id, app, platform, name_key, has_uid, code, unit, parts, installation, claim_id,
                                  confidence, claimed_at, expires_at)
            SELECT u.id, \(token.id), \(install.app), \(install.platform.rawValue), \(reference.name),
                   \(reference.hasUID), \(reference.code), \(install.unit), nullif(\(install.parts.text)::text, ''), \(installation.hash), \(claim),
                   \(ClaimedInvite.Confidence.exact.rawValue), now(), now() + \(Self.lifetime)
            FROM users u WHERE u.id = \(token.inviter) AND \(UserStore.isVisible())
            ON CONFLICT DO NOTHING
            """, claim, token, install.app, installation)
    }

    private func batch(
        _ locks: [Statement], _ write: Statement, _ claim: UUID, _ token: InstallToken, _ app: String,
        _ installation: InstallationID
    ) async throws -> Claim? {
        let results = try await db.write.with(key: token).batch(
            locks + [
                write,
                // The event is told only if this call claimed it, since each call has its own id.
                EventStore.record(
                    of: """
                        SELECT inviter_id, \(Event.Kind.installClaimed.rawValue), NULL::uuid,
                               json_build_object('platform', platform, 'confidence', confidence)::text
                        FROM installs
                        WHERE inviter_id = \(token.inviter) AND id = \(token.id) AND claim_id = \(claim)
                        """),
                """
                SELECT i.claim_id, \(ClaimedInvite.columns)
                FROM installs i JOIN users u ON u.id = i.inviter_id
                WHERE i.inviter_id = \(token.inviter) AND i.id = \(token.id) AND i.app = \(app)
                  AND i.installation = \(installation.hash) AND i.expires_at > now()
                """,
            ])
        let isNew = results[locks.count].affected > 0
        return try results[locks.count + 2].first { row in
            try Claim(
                token: ClaimToken(inviter: token.inviter, id: row.next()),
                claimed: ClaimedInvite(row: &row, inviter: token.inviter), isNew: isNew)
        }
    }

    /// Deletes expired rows, in parts, so that no statement takes long.
    package func forgetExpired(part: Int = 5000) async throws {
        var count = part
        while count == part {
            count = try await db.bulk.run(
                """
                WITH expired AS MATERIALIZED (
                    SELECT inviter_id, id FROM installs WHERE expires_at <= now() ORDER BY expires_at LIMIT \(part))
                -- By = alone the planner may read the whole table instead of its key.
                DELETE FROM installs i USING expired e WHERE i.inviter_id = e.inviter_id AND i.id = ANY (ARRAY[e.id])
                """)
        }
    }

    private static let lifetime: Statement =
        "\(Double(InstallPolicy.lifetime.components.seconds)) * interval '1 second'"
}
