import Foundation
import Kernel
package import Postgres

/// Reads who has and who had a username, for operators.
package struct NameRecordStore: Sendable {
    package var db: Database

    package init(db: Database) {
        self.db = db
    }

    /// Returns the present state. A name whose hold is over is free, whatever the row says.
    func find(_ name: Username.Key) async throws -> NameRecord {
        let found = try await db.bulk.first(
            """
            SELECT CASE WHEN held_until < now() THEN 'released' ELSE state END, user_id, held_until, changed_at
            FROM usernames WHERE name_key = \(name)
            """
        ) { row in
            let state: String = try row.next()
            let owner = try row.next(as: UUID?.self).map(User.ID.init)
            let heldUntil: Date? = try row.next()
            return try (
                owner: owner,
                record: NameRecord(
                    state: .init(rawValue: state) ?? .never, heldUntil: heldUntil, since: row.next())
            )
        }
        guard let found else { return NameRecord(state: .never) }
        var record = found.record
        if record.state == .released { record.heldUntil = nil }
        if let owner = found.owner {
            record.owner = try await UserRecordStore(db: db).briefs([owner])[owner]
        }
        return record
    }

    /// Returns when a user had a name, newest first.
    func periods(of user: User.ID, _ name: Username.Key) async throws -> [NameRecord.Period] {
        try await db.bulk.query(
            """
            SELECT username, valid_from, valid_to, severed FROM username_periods
            WHERE user_id = \(user) AND name_key = \(name) ORDER BY valid_from DESC
            """, NameRecord.Period.init(row:))
    }

    /// Returns who had a name at a time. Its first moment counts, and its last one does not.
    func tenure(of name: Username.Key, at time: Date) async throws -> NameRecord.Tenure? {
        let past: Statement = """
            SELECT user_id, username, valid_from, valid_to, severed FROM username_periods
            WHERE name_key = \(name) AND valid_from <= \(time) AND valid_to IS NOT NULL AND valid_to > \(time)
            ORDER BY valid_from DESC LIMIT 1
            """
        var found = try await db.bulk.first(past, Self.owned)
        if found == nil, let owner = try await owner(of: name) {
            // The index of names has only names that were given up.
            found = try await db.bulk.first(
                """
                SELECT user_id, username, valid_from, valid_to, severed FROM username_periods
                WHERE user_id = \(owner) AND name_key = \(name) AND valid_from <= \(time) AND valid_to IS NULL
                """, Self.owned)
        }
        guard let found, let user = try await UserRecordStore(db: db).briefs([found.owner])[found.owner]
        else { return nil }
        return NameRecord.Tenure(user: user, period: found.period)
    }

    private static func owned(_ row: inout Row) throws -> (owner: User.ID, period: NameRecord.Period) {
        try (User.ID(row.next()), NameRecord.Period(row: &row))
    }

    private func owner(of name: Username.Key) async throws -> User.ID? {
        try await db.bulk.first(
            "SELECT user_id FROM usernames WHERE name_key = \(name) AND state = 'active'"
        ) { try User.ID($0.next()) }
    }
}

extension NameRecord.Period {
    fileprivate init(row: inout Row) throws {
        username = try row.next()
        from = try row.next()
        to = try row.next()
        severed = try row.next()
    }
}
