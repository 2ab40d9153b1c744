import Foundation
import Postgres

/// The statement that every landing, redirect and proof of an invite reads by.
struct LandingStore: Sendable {
    var db: Database

    func facts(name: Username.Key, inviter: User.ID?) async throws -> LandingFacts {
        var facts = LandingFacts()
        for row in try await db.read.rows(Self.statement(name: name, inviter: inviter)) {
            try facts.add(row)
        }
        return facts
    }

    /// At most two rows: the user of the uid, and the owner of the name.
    static func statement(name: Username.Key, inviter: User.ID?) -> Statement {
        """
        WITH named AS MATERIALIZED (SELECT user_id, state FROM usernames WHERE name_key = \(name))
        SELECT true, uid, username, display_name, status = 'active', history_complete,
               EXISTS (SELECT FROM username_periods p
                       WHERE p.user_id = \(inviter) AND p.name_key = \(name) AND NOT p.severed),
               EXISTS (SELECT FROM username_periods p
                       WHERE p.user_id = \(inviter) AND p.name_key = \(name) AND p.severed),
               EXISTS (SELECT FROM named)
        FROM users WHERE id = \(inviter)
        UNION ALL
        SELECT false, u.uid, u.username, u.display_name, u.status = 'active', true, false, false, true
        FROM named JOIN users u ON u.id = named.user_id WHERE named.state = 'active'
        """
    }
}

extension LandingFacts {
    fileprivate mutating func add(_ row: Row) throws {
        var row = row
        let isInviter: Bool = try row.next()
        let profile = try User.Profile(uid: row.next(), username: row.next(), displayName: row.next())
        let isActive: Bool = try row.next()
        if isInviter {
            inviter = try Inviter(
                profile: profile, isActive: isActive, historyIsComplete: row.next(), hadName: row.next(),
                severedName: row.next())
            nameIsKnown = try row.next()
        } else if isActive {
            owner = profile
        }
    }
}
