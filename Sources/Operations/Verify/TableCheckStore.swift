import Foundation
import Kernel
import Postgres

/// The statements of one check.
struct TableCheckStore: Sendable {
    let db: Database
    let check: TableCheck

    /// The result of a look at a slice: its number of rows, and the homes with breaches.
    struct SliceResult: Sendable {
        var rows: Int
        var homes: Set<String>
    }

    /// How many rows of the homes break an invariant, and the keys of the first few.
    struct Count: Sendable {
        var rows: Int
        var keys: [String]
    }

    /// Estimates how many rows the table has. On Citus the coordinator has none, so a 4096th of all users is
    /// counted.
    func estimatedRows() async throws -> Int {
        let known = try await db.read.first(
            """
            SELECT greatest(reltuples::bigint, pg_relation_size(oid) / 200)
            FROM pg_class WHERE oid = to_regclass(\(check.table.description)::text)
            """
        ) { try $0.next(as: Int.self) }
        if let known, known > 0 { return known }
        guard check.home.isUser else { return 0 }
        return try await look(at: .users(0..<(Slice.allUsers.count / 4096))).rows * 4096
    }

    /// Returns the home key that comes `sliceRows` places after `key`, and is never the same. Nil if there
    /// are fewer.
    func bound(after key: String) async throws -> String? {
        let (table, column): (Statement, Statement)
        switch check.home {
        case .user: return nil
        case .name: (table, column) = ("usernames", "name_key")
        case .text(let key):
            (table, column) = (Statement(stringLiteral: check.table), Statement(stringLiteral: key))
        }
        return try await db.bulk.first(
            "SELECT \(column) FROM \(table) WHERE \(column) > \(key) ORDER BY \(column) LIMIT 1 OFFSET \(check.sliceRows)"
        ) { try $0.next() }
    }

    /// Makes the planner look rows up by indexes, which takes the same time for a slice of any database, even
    /// one that was never analyzed. Results that were looked up are joined by hash. If they do not fit in
    /// memory, that takes longer.
    static let preferIndexes: Statement = """
        SELECT set_config(name, value, true)
        FROM (VALUES ('enable_mergejoin', 'off'), ('enable_seqscan', 'off'), ('jit', 'off'), ('work_mem', '64MB'))
            AS s (name, value)
        """

    /// Checks a slice in one statement, and thus one snapshot, so it sees both sides of what a transaction
    /// wrote.
    func look(at slice: Slice) async throws -> SliceResult {
        let results = try await db.bulk.batch([
            Self.preferIndexes, statement(slice),
        ])
        var look = SliceResult(rows: 0, homes: [])
        try results.last?.first { row in
            look.rows = try row.next()
            for _ in check.invariants { look.homes.formUnion(try row.next(as: [String]?.self) ?? []) }
        }
        return look
    }

    /// Counts the breaches of each invariant at some homes, while writers of their rows wait.
    func count(at homes: [String]) async throws -> [Count] {
        let results = try await db.bulk.batch([lock(homes), Self.preferIndexes, statement(homes)])
        return try counts(results[2])
    }

    /// Repairs what is broken at some homes. Returns what is left.
    ///
    /// It locks names before users, as every write does. If a pair or a name of theirs changed after it was
    /// looked up and before it was locked, nothing is written, and the guard's word is `changed_meanwhile`.
    func repair(at homes: [String]) async throws -> [Count] {
        var statements = [UserStore.waitForImports]
        statements += check.repairsOfNames(homes)
        statements.append(lock(homes))
        if check.changesPairs { statements.append(requireAllLocked(homes)) }
        statements.append(Self.preferIndexes)
        statements += check.repairs(homes)
        let results = try await db.bulk.batch(statements + [statement(homes)])
        return try counts(results[results.count - 1])
    }

    private func counts(_ rows: Rows) throws -> [Count] {
        try rows.first { row in
            try check.invariants.map { _ in try Count(rows: row.next(), keys: row.next()) }
        } ?? []
    }

    /// The columns of `check.rows` for the invariants.
    private var columns: [Statement] { check.invariants.map { Statement(stringLiteral: $0.column) } }

    func statement(_ slice: Slice) -> Statement {
        let homes = columns.map { column -> Statement in
            ", (SELECT array_agg(DISTINCT home::text) FROM unnest(\(column)) AS u (home))"
        }
        let sums = columns.map { column -> Statement in
            ", array_agg(home) FILTER (WHERE \(column)) AS \(column)"
        }
        let (from, before) = slice.bounds
        let rows = check.rows { home in
            let end: Statement = before.map { " AND \(home) < \($0)::\(check.home.type)" } ?? ""
            return "\(home) >= \(from)::\(check.home.type)\(end)"
        }
        return """
            SELECT rows_seen\(homes.joined())
            FROM (SELECT count(*) AS rows_seen\(sums.joined()) FROM (\(rows)) AS judged) AS summed
            """
    }

    private func statement(_ homes: [String]) -> Statement {
        let sums = columns.map { column -> Statement in
            """
            count(*) FILTER (WHERE \(column)),
            coalesce((array_agg(key) FILTER (WHERE \(column)))[1:\(VerifyReport.Breach.keysShown)], '{}')
            """
        }
        return """
            SELECT \(sums.joined(separator: ", "))
            FROM (\(check.rows { "\($0) = ANY(\(homes)::\(check.home.type)[])" })) AS judged
            """
    }

    /// Locks the users of the homes' rows in the order of their ids, and records which.
    private func lock(_ homes: [String]) -> Statement {
        let kind =
            switch check.home {
            case .user: check.changesPairs ? "pair" : "user"
            case .name: "name"
            // Only invites have owners. The statement sees both tables as of one moment.
            case .text: "code"
            }
        return "SELECT set_config('kith.locked', lock_users_of(\(kind), \(homes))::text, true)"
    }

    /// Ends the batch if a pair was created while it waited for the lock. Locking that pair's other user then
    /// would break the order.
    private func requireAllLocked(_ homes: [String]) -> Statement {
        """
        WITH locked AS MATERIALIZED (
            SELECT unnest(current_setting('kith.locked')::uuid[]) AS id),
        others AS MATERIALIZED (
            SELECT other_id FROM relationships WHERE user_id = ANY(\(homes)::uuid[])),
        unlocked AS MATERIALIZED (
            SELECT other_id AS id FROM others EXCEPT SELECT id FROM locked),
        missed AS MATERIALIZED (
            SELECT 1 FROM unlocked JOIN users u ON \(TableCheck.found("u.id", "unlocked.id")))
        SELECT require(NOT EXISTS (SELECT 1 FROM missed), \(AccountError.changedMeanwhile))
        """
    }
}
