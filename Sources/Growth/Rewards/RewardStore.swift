import Foundation
import Kernel
package import Postgres
import Web

/// Every statement on `rewards`, `reward_postings` and `reward_budgets`.
package struct RewardStore: Sendable {
    package var db: Database

    package init(db: Database) {
        self.db = db
    }

    /// Returns a user's rewards, newest first.
    func list(of user: User.ID, after cursor: Cursor?, limit: Int) async throws -> ListPage<Reward> {
        let rows = try await db.lists.with(key: user).query(
            """
            SELECT \(Self.columns) FROM rewards
            WHERE user_id = \(user) AND \(Cursor.page(behind: cursor, "created_at", "id", limit: limit + 1))
            """, Reward.init(row:))
        return ListPage(rows.map { ($0.createdAt, $0.id, $0) }, limit: limit)
    }

    /// Returns how much a user has of each unit of credit, by its name.
    func balances(of user: User.ID) async throws -> [(unit: String, amount: Int)] {
        try await db.lists.with(key: user).query(
            """
            SELECT unit, \(Self.balance)::bigint FROM reward_postings
            WHERE user_id = \(user) AND unit NOT LIKE 'offer:%' GROUP BY unit ORDER BY unit
            """
        ) { row in (try row.next(), Int(try row.next(as: Int64.self))) }
    }

    static let balance: Statement = "sum(amount * ((credit = 'user')::int - (debit = 'user')::int))"

    /// What an operator searches for. Nil means any.
    struct Filter: Sendable {
        var program: String?
        var state: Reward.State?
        var user: User.ID?
    }

    /// Returns the rewards that match a filter, newest first.
    func list(_ filter: Filter, after cursor: Cursor?, limit: Int) async throws -> ListPage<Reward> {
        var conditions: [Statement] = ["true"]
        if let program = filter.program { conditions.append("program = \(program)") }
        if let state = filter.state { conditions.append("state = \(state.rawValue)") }
        if let user = filter.user { conditions.append("user_id = \(user)") }
        let rows = try await db.bulk.query(
            """
            SELECT \(Self.columns) FROM rewards
            WHERE \(conditions.joined(separator: " AND "))
              AND \(Cursor.page(behind: cursor, "created_at", "id", limit: limit + 1))
            """, Reward.init(row:))
        return ListPage(rows.map { ($0.createdAt, $0.id, $0) }, limit: limit)
    }

    /// Returns the reward. Nil if there is none.
    func find(_ id: UUID, of user: User.ID? = nil) async throws -> Reward? {
        let isOf: Statement = user.map { "AND user_id = \($0)" } ?? ""
        return try await db.read.ofPrimary.first(
            "SELECT \(Self.columns) FROM rewards WHERE id = \(id) \(isOf)", Reward.init(row:))
    }

    /// An entry of the ledger.
    struct Posting: Encodable, Sendable {
        var id: String
        var kind: String
        var debit: String
        var credit: String
        var unit: String
        var amount: Int
        var reverses: String?
        var at: Date
    }

    /// Returns a reward's entries, oldest first.
    func postings(of reward: Reward) async throws -> [Posting] {
        try await db.bulk.query(
            """
            SELECT id, kind, debit, credit, unit, amount, reverses, at FROM reward_postings
            WHERE user_id = \(reward.user) AND reward_id = \(reward.id) ORDER BY at, id LIMIT 1000
            """
        ) { row in
            try Posting(
                id: row.next(as: UUID.self).uuidString.lowercased(), kind: row.next(), debit: row.next(),
                credit: row.next(), unit: row.next(), amount: Int(row.next(as: Int64.self)),
                reverses: row.next(as: UUID?.self).map { $0.uuidString.lowercased() }, at: row.next())
        }
    }

    /// Returns the rewards that may be given now, the longest due first.
    func due(in programs: [String], limit: Int) async throws -> [Reward] {
        try await db.lists.ofPrimary.query(
            """
            SELECT \(Self.columns) FROM rewards
            WHERE state = 'pending' AND due_at <= now() AND program = ANY(\(programs)) ORDER BY due_at LIMIT \(limit)
            """, Reward.init(row:))
    }

    /// Returns a user's codes of some campaigns of which Kith has not learned a redemption yet. They include
    /// codes that were taken back, since the user may know them, and expired ones, which may have been
    /// redeemed in time.
    func unredeemed(by user: User.ID, of campaigns: [String]) async throws -> [Reward] {
        try await db.lists.ofPrimary.query(
            """
            SELECT \(Self.columns) FROM rewards
            WHERE user_id = \(user) AND kind = 'offer' AND unit = ANY(\(campaigns)) AND settled_at IS NULL
              AND (state IN ('assigned', 'expired') OR state = 'clawed_back' AND \(Self.hasCode(user))) ORDER BY created_at
            """, Reward.init(row:))
    }

    /// Returns a condition: the code of a row of a user's rewards was dealt.
    static func hasCode(_ user: User.ID) -> Statement {
        """
        EXISTS (SELECT FROM reward_postings p WHERE p.user_id = \(user) AND p.user_id = rewards.user_id AND p.reward_id = rewards.id
                AND p.kind = 'spend')
        """
    }

    /// Returns the uids of users.
    func uids(of users: Set<User.ID>) async throws -> [User.ID: User.UID] {
        try await UserStore(db: db).uids(of: users)
    }

    static let columns: Statement = """
        id, user_id, program, invitee_id, side, other_id, kind, unit, amount, state, cause, reasons, created_at, due_at,
        approved_at, settled_at, decided_at, changed_at
        """
}

/// Reports on programs.
extension RewardStore {
    /// How many rewards of a program are in a state.
    struct Count: Encodable, Sendable {
        var side: Reward.Side
        var state: Reward.State
        var rewards: Int
        var amount: Int
    }

    func counts(of program: String) async throws -> [Count] {
        try await db.bulk.query(
            """
            SELECT side, state, count(*), sum(amount)::bigint FROM rewards WHERE program = \(program)
            GROUP BY side, state ORDER BY side, state
            """
        ) { row in
            try Count(
                side: .init(rawValue: row.next()) ?? .inviter, state: .init(rawValue: row.next()) ?? .pending,
                rewards: Int(row.next(as: Int64.self)), amount: Int(row.next(as: Int64.self)))
        }
    }

    /// How much went from one account to another.
    struct Sum: Encodable, Sendable {
        var unit: String
        var debit: String
        var credit: String
        var amount: Int
    }

    func sums(of program: String) async throws -> [Sum] {
        try await db.bulk.query(
            """
            SELECT unit, debit, credit, sum(amount)::bigint FROM reward_postings WHERE program = \(program)
            GROUP BY unit, debit, credit ORDER BY unit, debit, credit
            """
        ) { row in
            try Sum(
                unit: row.next(), debit: row.next(), credit: row.next(), amount: Int(row.next(as: Int64.self))
            )
        }
    }

    /// Returns how many referrals there are, how many qualified, and how many did not in time.
    func referrals(of program: String) async throws -> (all: Int, qualified: Int, ended: Int) {
        try await db.bulk.first(
            """
            SELECT count(*), count(*) FILTER (WHERE qualified_at IS NOT NULL), count(*) FILTER (WHERE ended_at IS NOT NULL)
            FROM referrals WHERE program = \(program)
            """
        ) { row in try (row.next(), row.next(), row.next()) } ?? (0, 0, 0)
    }
}

extension Reward {
    init(row: inout Row) throws {
        (id, user) = try (row.next(), User.ID(row.next()))
        (program, invitee) = try (row.next(), User.ID(row.next()))
        side = try Side(rawValue: row.next()) ?? .inviter
        other = try User.ID(row.next())
        kind = try Kind(rawValue: row.next()) ?? .event
        (unit, amount) = try (row.next(), Int(row.next(as: Int64.self)))
        state = try State(rawValue: row.next()) ?? .pending
        cause = try row.next(as: String?.self).flatMap(Cause.init)
        let json = try row.next(as: String?.self)
        reasons =
            json.flatMap { try? JSONDecoder().decode([FraudRules.Reason].self, from: Data($0.utf8)) } ?? []
        (createdAt, dueAt, approvedAt) = try (row.next(), row.next(), row.next())
        (settledAt, decidedAt, changedAt) = try (row.next(), row.next(), row.next())
    }
}
