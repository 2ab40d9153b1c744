import Foundation
import Postgres

/// What every landing, redirect and proof of an invite reads by.
struct LandingStore: Sendable {
    var db: Database

    /// One statement where the link names a user; the owner of the name counts only where it does not.
    func facts(name: Username.Key, inviter: User.ID?) async throws -> LandingFacts {
        if let inviter, let facts = try await facts(name: name, of: inviter) { return facts }
        let owner = try await owner(of: name)
        return LandingFacts(owner: owner?.profile, ownerIsFrozen: owner?.isFrozen ?? false)
    }

    private func facts(name: Username.Key, of inviter: User.ID) async throws -> LandingFacts? {
        try await db.landings.first(Self.inviterStatement(name: name, inviter: inviter)) { row in
            var inviter = try LandingFacts.Inviter(
                profile: User.Profile(uid: row.next(), username: row.next(), displayName: row.next()),
                isActive: row.next(), historyIsComplete: row.next(), hadName: row.next(),
                severedName: row.next())
            let nameIsKnown: Bool = try row.next()
            inviter.isFrozen = try row.next()
            return LandingFacts(inviter: inviter, nameIsKnown: nameIsKnown)
        }
    }

    /// Whether the name is anybody's is looked up only where it was never the inviter's.
    static func inviterStatement(name: Username.Key, inviter: User.ID) -> Statement {
        """
        SELECT uid, username, display_name, status = 'active', history_complete,
               coalesce(period.forwards, false), coalesce(period.severs, false),
               CASE WHEN period.forwards IS NULL
                    THEN EXISTS (SELECT FROM usernames WHERE name_key = \(name)) ELSE true END,
               frozen_at IS NOT NULL
        FROM users, LATERAL (
            SELECT bool_or(NOT severed) AS forwards, bool_or(severed) AS severs
            FROM username_periods WHERE user_id = \(inviter) AND name_key = \(name)) period
        WHERE id = \(inviter)
        """
    }

    private func owner(of name: Username.Key) async throws -> (profile: User.Profile, isFrozen: Bool)? {
        try await db.landings.first(
            """
            WITH named AS MATERIALIZED (
                SELECT user_id FROM usernames WHERE name_key = \(name) AND state = 'active')
            SELECT u.uid, u.username, u.display_name, u.frozen_at IS NOT NULL
            FROM named JOIN users u ON u.id = named.user_id WHERE u.status = 'active'
            """
        ) { try (User.Profile(uid: $0.next(), username: $0.next(), displayName: $0.next()), $0.next()) }
    }
}
