import Kernel
import Postgres

/// Reads the inviters that links name, many in one statement.
struct InviterStore: Sendable {
    /// What a link says about its inviter.
    struct LinkKey: Hashable, Sendable {
        var name: Username.Key
        var inviter: User.ID
    }

    private let lane: Lane
    private let byName: Invite.Mode
    private let countsFriends: Bool
    // The columns are put together once, since each landing needs them.
    private let columns: Statement

    /// Creates the store. The parameters are those of `LinkFactsStore`.
    init(db: Database, byName: Invite.Mode, profile: Statement, countsFriends: Bool) {
        (lane, self.byName, self.countsFriends) = (db.landings, byName, countsFriends)
        let friends: Statement = countsFriends ? ", \(FriendStore.visibleFriendCount(of: "u.id"))" : ""
        columns =
            "\(profile), \(UserStore.isVisible("")), history_complete, \(UserStore.inviting(""))\(friends)"
    }

    /// Returns the inviters who exist.
    func inviters(_ asked: [LinkKey]) async throws -> [LinkKey: LinkFacts.Inviter] {
        let names = Dictionary(asked.map { ($0.inviter, $0.name) }) { first, _ in first }
        if names.count == asked.count { return try await inviters(names) }
        return try await withThrowingTaskGroup(of: [LinkKey: LinkFacts.Inviter].self) { group in
            var rest = asked
            while !rest.isEmpty {
                // The statement takes one name for each user.
                var names: [User.ID: Username.Key] = [:]
                rest = rest.filter { asked in
                    guard names[asked.inviter] == nil else { return true }
                    names[asked.inviter] = asked.name
                    return false
                }
                group.addTask { [names] in try await inviters(names) }
            }
            return try await group.reduce(into: [:]) { $0.merge($1) { $1 } }
        }
    }

    private func inviters(_ names: [User.ID: Username.Key]) async throws -> [LinkKey: LinkFacts.Inviter] {
        let rows = try await lane.query(statement(names)) { row in
            let id = User.ID(try row.next())
            var inviter = try LinkFacts.Inviter(
                profile: User.Profile(row: &row), isActive: row.next(), historyIsComplete: row.next())
            inviter.inviting = try InviteMode(stored: row.next())
            if inviter.inviting == .auto, byName == .ask { inviter.inviting = .ask }
            if countsFriends { inviter.friends = try row.next() }
            let severed = try row.next(as: Bool?.self)
            (inviter.hadName, inviter.severedName) = (severed == false, severed == true)
            return (id, inviter)
        }
        return rows.reduce(into: [:]) { found, row in
            if let name = names[row.0] { found[LinkKey(name: name, inviter: row.0)] = row.1 }
        }
    }

    /// Returns the statement. The last period of a name says whether it is severed, so a landing reads only
    /// one row of the history.
    func statement(_ names: [User.ID: Username.Key]) -> Statement {
        let ids = names.keys.map(\.uuid)
        // Names are found by position: Citus joins no array with a subquery that has a LIMIT.
        return """
            SELECT id, \(columns),
                   (SELECT severed FROM username_periods p
                    WHERE p.user_id = u.id AND p.name_key = (\(names.values.map(\.text)))[array_position(\(ids), u.id)]
                    ORDER BY valid_from DESC LIMIT 1)
            FROM users u WHERE id = ANY(\(ids))
            """
    }
}
