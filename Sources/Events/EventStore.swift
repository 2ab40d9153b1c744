import Foundation
package import Kernel
package import Postgres
import Web

/// Every statement on `outbox` and `events`, except those in functions of the schema.
package struct EventStore: Sendable {
    package var db: Database

    package init(db: Database) {
        self.db = db
    }

    /// Returns a statement that records an event. It belongs in the batch that makes the event true, after
    /// the statement that locks the user. So both are committed or neither, and events of one user are told
    /// in the order in which they happened.
    package static func record(
        _ kind: Event.Kind, _ user: User.ID, about other: User.ID? = nil, facts: [String: EventFact] = [:]
    ) -> Statement {
        record([News(kind, user, about: other, facts: facts)])
    }

    /// Returns a statement that records several events, in their order.
    package static func record(_ news: [News]) -> Statement {
        "INSERT INTO outbox (user_id, type, other_id, facts)\nVALUES \(news.map(\.row).joined(separator: ", "))"
    }

    /// Returns a statement that records the events that a query of other rows returns.
    /// - Parameter rows: a query of user, type, the other user and facts. It reads a table that is spread on
    ///   Citus, whose coordinator then gives the numbers, as it does to all other events.
    package static func record(of rows: Statement) -> Statement {
        "INSERT INTO outbox (user_id, type, other_id, facts)\n\(rows)"
    }

    package struct News {
        fileprivate let row: Statement

        /// Creates the row of something that happened to a user.
        package init(
            _ kind: Event.Kind, _ user: User.ID, about other: User.ID? = nil, facts: [String: EventFact] = [:]
        ) {
            row = "(\(user), \(kind.rawValue), \(other), \(JSON.text(ifAny: facts)))"
        }
    }

    /// Returns a statement that records an event if the user has a status.
    package static func record(_ kind: Event.Kind, _ user: User.ID, if status: User.Status) -> Statement {
        "SELECT tell_if(\(user), \(kind.rawValue), \(status.rawValue))"
    }

    /// Gives numbers to events that have none, up to 2,000, and returns the greatest number so far.
    @discardableResult
    func number(keeping days: Int = EventPolicy().days) async throws -> Int64 {
        do {
            return try await number()
        } catch let error as PostgresError where error.lacksPartition {
            // There is no partition for today: the database is new, or no server has run for days.
            try await keepDays(days)
            return try await number()
        }
    }

    private func number() async throws -> Int64 {
        try await db.write.first("SELECT number_events(2000)") { try $0.next() } ?? 0
    }

    /// Returns the users to whom the events of some numbers happened.
    func users(after: Int64, through last: Int64) async throws -> [User.ID] {
        try await lane.query("SELECT DISTINCT user_id FROM events WHERE id > \(after) AND id <= \(last)") {
            try User.ID($0.next())
        }
    }

    /// Creates the parts of `events` for the next days, and drops those that are too old.
    func keepDays(_ days: Int) async throws {
        try await db.write.run("SELECT keep_days(\(Int64(days)))")
    }

    /// Returns the events after a number, oldest first: all, or those of a kind.
    package func read(after id: Int64, of kind: Event.Kind? = nil, limit: Int) async throws -> EventPage {
        try await page("id > \(id)\(Self.isOf(kind))", from: id, limit)
    }

    /// Returns the events before a number, newest first: all, or those of a kind.
    /// - Parameter id: nil to begin with the newest.
    func read(before id: Int64?, of kind: Event.Kind?, limit: Int) async throws -> EventPage {
        try await page("id < \(id ?? .max)\(Self.isOf(kind))", from: id ?? 0, limit, isNewestFirst: true)
    }

    private static func isOf(_ kind: Event.Kind?) -> Statement {
        kind.map { " AND type = \($0.rawValue)" } ?? ""
    }

    /// Returns the events of these numbers that are still kept.
    package func read(_ ids: [Int64]) async throws -> [Event] {
        try await page("id = ANY(\(ids))", from: 0, ids.count).events
    }

    /// Returns the first number after a number. Nil if there is none.
    package func next(after id: Int64) async throws -> Int64? {
        try await lane.first("SELECT id FROM events WHERE id > \(id) ORDER BY id LIMIT 1") { try $0.next() }
    }

    /// Returns the events of one user.
    func read(of user: User.ID, after id: Int64, limit: Int) async throws -> EventPage {
        try await page("user_id = \(user) AND id > \(id)", from: id, limit)
    }

    /// Whether events after a number may no longer be kept.
    func isGone(after id: Int64) async throws -> Bool {
        let oldest = try await lane.first(Self.oldestPart) { try $0.next(as: Date?.self) }
        return (oldest ?? nil).map { id < $0.microsecondsSince1970 } ?? false
    }

    /// A query for the beginning of the oldest part that is kept, at midnight in UTC. NULL if there is none.
    package static let oldestPart: Statement = """
        SELECT min(to_date(right(c.relname, 8), 'YYYYMMDD'))::timestamp AT TIME ZONE 'UTC'
        FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'events'::regclass
        """

    /// Returns which of these users have an active account.
    func active(_ users: [User.ID]) async throws -> Set<User.ID> {
        Set(
            try await lane.query(
                "SELECT id FROM users WHERE id = ANY(\(users.map(\.uuid))) AND status = 'active'"
            ) {
                try User.ID($0.next())
            })
    }

    /// Returns the number given last. It is 0 if none was given yet.
    package func last() async throws -> Int64 {
        try await lane.first("SELECT last FROM event_numbers WHERE scope = 'all'") { try $0.next() } ?? 0
    }

    /// The lane for these reads. It asks the primary, since a standby may know less than the caller.
    private var lane: Lane { db.lists.ofPrimary }

    private struct Stored {
        var id: Int64
        var user: UUID
        var type: String
        var other: UUID?
        var facts: String?
        var at: Date
    }

    private func page(
        _ which: Statement, from id: Int64, _ limit: Int, isNewestFirst: Bool = false
    ) async throws -> EventPage {
        let order: Statement = isNewestFirst ? "id DESC" : "id"
        let rows = try await lane.query(
            """
            SELECT id, user_id, type, other_id, facts, at FROM events WHERE \(which) ORDER BY \(order) LIMIT \(limit)
            """
        ) { row in
            try Stored(
                id: row.next(), user: row.next(), type: row.next(), other: row.next(), facts: row.next(),
                at: row.next())
        }
        guard let last = rows.last else {
            return EventPage(events: [], last: id, isEmpty: true, isFull: false)
        }
        let users = Set(rows.map(\.user))
        async let counted = badges(of: users)
        let people = try await people(users.union(rows.compactMap(\.other)))
        let badges = try await counted
        let events = rows.compactMap { row -> Event? in
            guard let kind = Event.Kind(rawValue: row.type),
                let user = kind.isOfNobody ? .nobody : people[row.user]?.party(in: kind)
            else { return nil }
            return Event(
                id: row.id, kind: kind, at: row.at, userID: User.ID(row.user), user: user,
                other: row.other.map { people[$0]?.party(about: kind) ?? .nobody },
                facts: row.facts.map(Self.facts) ?? [:], badge: badges[row.user] ?? 0)
        }
        return EventPage(events: events, last: last.id, isEmpty: false, isFull: rows.count == limit)
    }

    private struct Person {
        var profile: User.Profile
        var status: User.Status

        /// Shows the user as the one to whom the event happened.
        func party(in kind: Event.Kind) -> Event.Party {
            guard status == .deleted else { return .profile(profile) }
            return kind == .userDeleted ? .uid(profile.uid) : .nobody
        }

        /// Shows the user as the other one.
        func party(about kind: Event.Kind) -> Event.Party {
            guard status == .active else { return .nobody }
            return kind.isEnd ? .uid(profile.uid) : .profile(profile)
        }
    }

    private func people(_ ids: Set<UUID>) async throws -> [UUID: Person] {
        let rows = try await lane.query(
            "SELECT id, status, \(User.Profile.columns()) FROM users WHERE id = ANY(\(Array(ids)))"
        ) { row in
            let (id, status): (UUID, String) = try (row.next(), row.next())
            return (
                id, try Person(profile: .init(row: &row), status: User.Status(rawValue: status) ?? .deleted)
            )
        }
        return Dictionary(uniqueKeysWithValues: rows)
    }

    private func badges(of users: Set<UUID>) async throws -> [UUID: Int] {
        let rows = try await lane.query(
            """
            SELECT user_id, count(*) FROM relationships
            WHERE user_id = ANY(\(Array(users))) AND heard_at IS NOT NULL AND NOT they_away GROUP BY user_id
            """
        ) { try ($0.next(as: UUID.self), Int($0.next(as: Int64.self))) }
        return Dictionary(uniqueKeysWithValues: rows)
    }

    package static func facts(_ json: String) -> [String: EventFact] {
        (try? JSONDecoder().decode([String: EventFact].self, from: Data(json.utf8))) ?? [:]
    }
}

extension EventStore: UserDataStore {
    /// Removes what the events of a user tell about them.
    package static func forget(_ user: User.ID) -> [Statement] {
        [
            "UPDATE outbox SET facts = NULL WHERE user_id = \(user) AND facts IS NOT NULL",
            "UPDATE events SET facts = NULL WHERE user_id = \(user) AND facts IS NOT NULL",
        ]
    }
}
