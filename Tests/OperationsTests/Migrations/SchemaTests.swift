import Foundation
import Postgres
import Schema
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith

/// The comments of the schema, which `\d+` shows to operators.
@Suite(.inTurns) struct SchemaTests {
    private func texts(_ query: Statement) async throws -> [String] {
        let db = try Database(Database.Configuration(url: try await TestPostgres.shared.migratedDatabase()))
        let texts = try await db.read.query(query) { try $0.next(as: String.self) }
        await db.close()
        return texts
    }

    @Test func `every table, column, index and function has a comment`() async throws {
        let silent = try await texts(
            """
            WITH ours AS (
                SELECT oid, relkind FROM pg_class WHERE relnamespace = 'public'::regnamespace),
            objects (class, id, place) AS (
                SELECT 'pg_class'::regclass, oid, 0 FROM ours WHERE relkind NOT IN ('i', 'I')
                UNION ALL
                SELECT 'pg_class'::regclass, attrelid, attnum FROM ours JOIN pg_attribute ON attrelid = oid
                WHERE relkind NOT IN ('i', 'I', 'S') AND attnum > 0 AND NOT attisdropped
                UNION ALL
                SELECT 'pg_class'::regclass, oid, 0 FROM ours
                WHERE relkind IN ('i', 'I') AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = ours.oid)
                UNION ALL
                SELECT 'pg_proc'::regclass, oid, 0 FROM pg_proc WHERE pronamespace = 'public'::regnamespace)
            SELECT pg_describe_object(class, id, place) FROM objects
            WHERE NOT EXISTS (
                SELECT FROM pg_description WHERE classoid = class AND objoid = id AND objsubid = place)
            ORDER BY 1
            """)
        #expect(silent.isEmpty)
        let tables = try await texts(
            "SELECT tablename::text FROM pg_tables WHERE schemaname = 'public' ORDER BY 1")
        #expect(tables == Migration.tables)
        let functions = try await texts(
            "SELECT proname::text FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY 1")
        #expect(functions == Migration.functions)
    }

    @Test func `every table names its home key, the first column of its primary key`() async throws {
        let others = try await texts(
            """
            SELECT conrelid::regclass::text FROM pg_constraint
            JOIN pg_attribute ON attrelid = conrelid AND attnum = conkey[1]
            WHERE connamespace = 'public'::regnamespace AND contype = 'p'
              AND obj_description(conrelid, 'pg_class') NOT LIKE '% Home key: ' || attname || '.'
            """)
        // All of it is read at once.
        #expect(others == ["schema_migrations"])
    }

    /// Tables that are small, or of which little changes: a fifth of them is soon enough.
    private static let vacuumedByDefault: Set<String> = [
        // A row a campaign, section, endpoint, program, experiment, version or number.
        "offer_campaigns", "applied_files", "config_drafts", "test_devices", "webhooks", "reward_budgets",
        "reward_positions", "event_numbers", "count_positions",
        "left_out_visits", "experiment_days", "experiment_goal_days",
        "client_versions", "visitor_salts", "webhook_deliveries", "rate_limits",
        // Parts of a day, which hardly change and go as a whole. Their parents hold nothing.
        "events",
        // Written once; a row changes a few times in its life, by an act of its user or a backend.
        "people", "sign_in_links", "sessions", "signups", "invites_by_owner", "invite_uses", "link_claims",
        "dismissals", "offer_codes",
        "purchases", "purchase_periods", "referrals", "rewards", "reward_signals", "reward_actions",
    ]

    @Test
    func `tables that grow with the users and change are vacuumed before a fifth of their rows are dead`()
        async throws
    {
        let settled = try await texts(
            """
            SELECT relname::text FROM pg_class
            WHERE relnamespace = 'public'::regnamespace AND EXISTS (
                SELECT FROM unnest(reloptions) AS option
                WHERE option LIKE 'autovacuum_vacuum_scale_factor=%' AND split_part(option, '=', 2)::float8 <= 0.02)
            """)
        let changed = Set(SchemaStore.tables(.update) + SchemaStore.tables(.delete))
        #expect(changed.subtracting(Self.vacuumedByDefault).subtracting(settled).isEmpty)
        #expect(Set(settled).isSubset(of: changed))
        #expect(Self.vacuumedByDefault.isDisjoint(with: settled))
        let listed = try await texts(
            """
            SELECT relname::text FROM pg_class
            WHERE 'autovacuum_vacuum_insert_scale_factor=0.01' = ANY(reloptions) ORDER BY 1
            """)
        #expect(listed == ["relationships"], "the list of friends reads an index alone")
    }

    @Test func `user_id and fold agree with Kith, and PostgreSQL inlines them`()
        async throws
    {
        let db = try Database(Database.Configuration(url: try await TestPostgres.shared.migratedDatabase()))
        for text in ["u-ann", "Ann_B", "ÄÖ İI", "é", "e\u{301}", "日本", "\\x41", "%41'"] {
            let found = try await db.read.first("SELECT user_id(\(text)), fold(\(text))") {
                try (id: $0.next(as: UUID.self), key: $0.next(as: String.self))
            }
            #expect(found?.id == User.ID(of: User.UID(stored: text)).uuid)
            #expect(found?.key.utf8.elementsEqual(Username.Key(of: text).text.utf8) == true)
        }
        let plan = try await db.read.query(
            "EXPLAIN (VERBOSE) SELECT user_id(uid), fold(username) FROM users WHERE id = user_id('u-ann')"
        ) { try $0.next(as: String.self) }.joined(separator: "\n")
        #expect(plan.contains("Index Cond: (users.id = "))
        #expect(!plan.contains("user_id(") && !plan.contains("fold("))
        await db.close()
    }
}
