import Postgres
import Schema
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Operations

/// What spreads the tables over a Citus cluster, as far as a PostgreSQL without Citus shows it. `CitusTests`
/// has the rest.
@Suite(.inTurns) struct DistributionTests {
    @Test func `the file spreads every table by its home key, copies small ones, and brings every function`()
        async throws
    {
        let sql = Migration.distribution
        let spread = sql.matches(
            of: /\['(\w+)', '(\w+)', '(?:none|users|invites|offer_campaigns|purchases|left_out_visits)'\]/
        ).map { (String($0.1), String($0.2)) }
        let copies = [
            "secrets", "api_keys", "applied_files", "publications", "config_drafts", "test_devices", "people",
            "sign_in_links", "sessions", "audit", "event_numbers",
            "count_positions", "reward_positions",
            "visitor_salts",
            "webhooks", "webhook_deliveries", "schema_migrations",
        ]
        #expect((spread.map(\.0) + copies).sorted() == Migration.tables)
        for names in [copies, Migration.functionsOnNodes] {
            let list = names.map { "'\($0)'" }.joined(separator: ", ")
            #expect(sql.replacing(/\[\s+/, with: "[").contains("text[] := ARRAY[\(list)];"))
        }
        let db = try Database(Database.Configuration(url: try await TestPostgres.shared.migratedDatabase()))
        let keys = try await db.read.query(
            """
            SELECT conrelid::regclass::text, attname::text FROM pg_constraint
            JOIN pg_attribute ON attrelid = conrelid AND attnum = conkey[1]
            WHERE connamespace = 'public'::regnamespace AND contype = 'p'
            """
        ) { try ($0.next(as: String.self), $0.next(as: String.self)) }
        await db.close()
        let keyOf = Dictionary(uniqueKeysWithValues: keys)
        for (table, key) in spread { #expect(keyOf[table] == key) }
    }

    @Test func `without Citus the command says what to do, and changes nothing`() async throws {
        let url = try await TestPostgres.shared.database()
        let refused = try await KithCommand(["migrate", "--distribute"], ["KITH_DATABASE_URL": url]).run()
        #expect(refused.status == 1 && refused.output.isEmpty)
        #expect(
            refused.error.contains("this database has no Citus") && refused.error.contains("citus_add_node"))
        let status = try await KithCommand(["migrate", "--status"], ["KITH_DATABASE_URL": url]).run()
        #expect(status.output.contains("pending  0001_") && !status.output.contains("applied  "))
        #expect(!status.output.contains("local") && !status.output.contains("distributed"))
    }

    static let whole = Distribution(
        local: [], spread: Migration.tables, workers: 2, isOnCoordinator: true, recoveryInterval: 5_000)

    @Test func `a server refuses tables that are spread in part, and takes all local ones`() {
        #expect(Self.whole.mistake == nil && Self.whole.isComplete)
        var partial = Self.whole
        (partial.local, partial.spread) = (["users"], ["invites"])
        #expect(partial.mistake?.description.contains("but not these: users: run `kith migrate") == true)
        partial.spread = []
        #expect(partial.mistake == nil && !partial.isBegun)
    }

    @Test(arguments: [(-1, true), (5_000, false), (5_001, true), (60_000, true)])
    func `it warns of a late completion after a crash`(interval: Int, warns: Bool) {
        var distribution = Self.whole
        distribution.recoveryInterval = interval
        #expect((distribution.warning != nil) == warns)
        distribution.spread = []
        #expect(distribution.warning == nil, "tables that are not spread do not suffer")
    }

    @Test func `tables are spread from the coordinator of a cluster with workers`() {
        var distribution = Self.whole
        distribution.workers = 0
        #expect(distribution.obstacle == .noWorkers)
        distribution.isOnCoordinator = false
        #expect(distribution.obstacle == .notOnCoordinator)
        #expect(distribution.mistake == .notOnCoordinator, "a server is refused there, too")
        #expect(Self.whole.obstacle == nil)
    }
}
