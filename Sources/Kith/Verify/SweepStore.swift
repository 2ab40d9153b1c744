import Foundation
import Postgres

/// The statements of one sweep.
struct SweepStore: Sendable {
    let db: Database
    let sweep: Sweep

    /// What a slice shows: how many rows it has, and the homes where something is broken.
    struct Look: Sendable {
        var rows: Int
        var homes: Set<String>
    }

    /// How many rows of a home break an invariant, and the keys of the first few.
    struct Count: Sendable {
        var rows: Int
        var keys: [String]
    }

    /// About how many rows the table has.
    func estimatedRows() async throws -> Int {
        try await db.read.first(
            """
            SELECT greatest(reltuples::bigint, pg_relation_size(oid) / 200)
            FROM pg_class WHERE oid = to_regclass(\(sweep.table)::text)
            """
        ) { try $0.next() } ?? 0
    }

    /// The first home key behind so many others from one on; nil where there are not so many.
    func bound(after key: String) async throws -> String? {
        let (table, column) = sweep.home == .name ? ("usernames", "name_key") : ("links", "code")
        var sql = Statement.Interpolation(literalCapacity: 128, interpolationCount: 2)
        sql.appendLiteral("SELECT \(column) FROM \(table) WHERE \(column) >= ")
        sql.appendInterpolation(key)
        sql.appendLiteral(" ORDER BY \(column) LIMIT 1 OFFSET ")
        sql.appendInterpolation(sweep.sliceRows)
        return try await db.bulk.first(Statement(stringInterpolation: sql)) { try $0.next() }
    }

    /// Each row is joined by indexes, whatever the planner thinks of it: that takes the same time for a
    /// slice of any database, also of one that was never analyzed.
    static let preferIndexes: Statement = """
        SELECT set_config(name, 'off', true)
        FROM unnest(ARRAY['enable_hashjoin', 'enable_mergejoin', 'enable_seqscan', 'jit']) AS s (name)
        """

    /// One statement, and so one snapshot: it sees both sides of whatever one transaction wrote.
    func look(at slice: Slice) async throws -> Look {
        let results = try await db.bulk.batch([
            Self.preferIndexes, statement(slice),
        ])
        var look = Look(rows: 0, homes: [])
        try results.last?.first { row in
            look.rows = try row.next()
            for _ in sweep.invariants { look.homes.formUnion(try row.next(as: [String]?.self) ?? []) }
        }
        return look
    }

    /// What is broken at some homes while those who write their rows wait, an invariant each.
    func count(at homes: [String]) async throws -> [Count] {
        let results = try await db.bulk.batch([lock(homes), Self.preferIndexes, statement(homes)])
        return try counts(results[2])
    }

    /// Mends what is broken at some homes, and returns what is left of it.
    ///
    /// The order of locks is everybody's: names before users. Nothing is written where a pair or a name of
    /// theirs was changed after it was looked up and before it was locked; the outcome is then
    /// `changed_meanwhile`.
    func repair(at homes: [String]) async throws -> [Count] {
        var statements = [UserStore.waitForImports]
        statements += sweep.repairsOfNames.map { Self.bound($0, homes) }
        statements.append(lock(homes))
        if sweep.changesPairs { statements.append(requireAllLocked(homes)) }
        statements.append(Self.preferIndexes)
        statements += sweep.repairs.map { Self.bound($0, homes) }
        let results = try await db.bulk.batch(statements + [statement(homes)])
        return try counts(results[results.count - 1])
    }

    private func counts(_ rows: Rows) throws -> [Count] {
        try rows.first { row in
            try sweep.invariants.map { _ in try Count(rows: row.next(), keys: row.next()) }
        } ?? []
    }

    func statement(_ slice: Slice) -> Statement {
        var sql = Statement.Interpolation(literalCapacity: 4096, interpolationCount: 2)
        let columns = sweep.invariants.map {
            ", (SELECT array_agg(DISTINCT home::text) FROM unnest(\($0.name)) AS u (home))"
        }
        let sums = sweep.invariants.map { ", array_agg(home) FILTER (WHERE \($0.name)) AS \($0.name)" }
        sql.appendLiteral(
            """
            SELECT rows_seen\(columns.joined())
            FROM (SELECT count(*) AS rows_seen\(sums.joined()) FROM (\(sweep.rows)) AS judged WHERE home >=
            """)
        let (from, before) = slice.bounds
        sql.appendLiteral(" ")
        sql.appendInterpolation(from)
        sql.appendLiteral("::\(sweep.home.type)")
        if let before {
            sql.appendLiteral(" AND home < ")
            sql.appendInterpolation(before)
            sql.appendLiteral("::\(sweep.home.type)")
        }
        sql.appendLiteral(") AS summed")
        return Statement(stringInterpolation: sql)
    }

    private func statement(_ homes: [String]) -> Statement {
        let columns = sweep.invariants.map {
            """
            count(*) FILTER (WHERE \($0.name)),
            coalesce((array_agg(key) FILTER (WHERE \($0.name)))[1:\(VerifyReport.Breach.keysShown)], '{}')
            """
        }
        return Self.bound(
            """
            SELECT \(columns.joined(separator: ", ")) FROM (\(sweep.rows)) AS judged
            WHERE home = ANY($1::\(sweep.home.type)[])
            """, homes)
    }

    /// Locks the users whom the homes' rows are about, by their ids, and notes whom.
    private func lock(_ homes: [String]) -> Statement {
        switch (sweep.home, sweep.changesPairs) {
        case (.user, false):
            """
            SELECT FROM users WHERE id = ANY(\(homes)::uuid[]) ORDER BY id FOR NO KEY UPDATE
            """
        case (.user, true):
            """
            SELECT set_config('kith.locked', coalesce(string_agg(id::text, ','), ''), true)
            FROM (SELECT id FROM users
                  WHERE id = ANY(ARRAY(
                      SELECT unnest(\(homes)::uuid[])
                      UNION ALL SELECT other_id FROM relationships WHERE user_id = ANY(\(homes)::uuid[])))
                  ORDER BY id FOR NO KEY UPDATE) locked
            """
        case (.name, _):
            """
            SELECT FROM users
            WHERE id = ANY(ARRAY(SELECT user_id FROM usernames WHERE name_key = ANY(\(homes)::text[])))
            ORDER BY id FOR NO KEY UPDATE
            """
        case (.code, _):
            """
            SELECT FROM users WHERE id = ANY(ARRAY(SELECT owner_id FROM links WHERE code = ANY(\(homes)::text[])))
            ORDER BY id FOR NO KEY UPDATE
            """
        }
    }

    /// A pair may be made while the lock is waited for. To lock its other user then would break the order.
    private func requireAllLocked(_ homes: [String]) -> Statement {
        """
        WITH locked AS MATERIALIZED (
            SELECT unnest(string_to_array(current_setting('kith.locked'), ','))::uuid AS id)
        SELECT require(
            NOT EXISTS (
                SELECT FROM relationships r JOIN users u ON u.id = r.other_id
                WHERE r.user_id = ANY(\(homes)::uuid[])
                  AND NOT EXISTS (SELECT FROM locked WHERE locked.id = r.other_id)),
            'changed_meanwhile')
        """
    }

    /// Puts the homes where the text has `$1`.
    private static func bound(_ text: String, _ homes: [String]) -> Statement {
        var sql = Statement.Interpolation(literalCapacity: text.utf8.count, interpolationCount: 4)
        for (number, part) in text.split(separator: "$1", omittingEmptySubsequences: false).enumerated() {
            if number > 0 { sql.appendInterpolation(homes) }
            sql.appendLiteral(String(part))
        }
        return Statement(stringInterpolation: sql)
    }
}
