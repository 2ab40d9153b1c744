import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Graph
@testable import Kernel
@testable import Operations

/// The plans of the statements that the product really sends, on data on which a bad plan would show.
///
/// The statements are those that the product's connection has prepared.
@Suite(.inTurns) struct PlanTests {
    static let users = 20_000

    /// A database with many users, each with 30 friends and a custom link, and one connection for each lane.
    func withManyUsers(_ body: @Sendable (TestApp) async throws -> Void) async throws {
        let url = try await TestPostgres.shared.database(like: "kith_many_users", filledBy: Self.population)
        try await withOneConnectionALane(on: url, body)
        try await TestPostgres.shared.drop(url)
    }

    struct Prepared {
        let name: String
        let sql: String
        let parameters: Int
    }

    /// The product's own statements that the lane's one connection has prepared.
    func prepared(_ lane: Lane) async throws -> [Prepared] {
        try await lane.query(
            """
            SELECT name, statement, cardinality(parameter_types)::bigint FROM pg_prepared_statements
            WHERE statement !~ 'secrets|set_config|pg_backend_pid|pg_prepared_statements|min\\(code\\)|ORDER BY code|string_agg'
            """
        ) { try Prepared(name: $0.next(), sql: $0.next(), parameters: $0.next()) }
    }

    /// The nodes of the generic plan, outermost first.
    func plan(of statement: Prepared, _ lane: Lane) async throws -> [[String: Any]] {
        let values = [String](repeating: "NULL", count: statement.parameters).joined(separator: ", ")
        let sql =
            "EXPLAIN (FORMAT JSON) EXECUTE \(statement.name)"
            + (statement.parameters == 0 ? "" : "(\(values))")
        let text = try await lane.first(Statement(text: sql)) { try $0.next(as: String.self) } ?? ""
        let plans = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]]
        return Self.nodes(try #require(plans?.first?["Plan"] as? [String: Any]))
    }

    static func nodes(_ node: [String: Any]) -> [[String: Any]] {
        [node] + (node["Plans"] as? [[String: Any]] ?? []).flatMap(nodes)
    }

    /// Makes a lane plan anew, as sessions do in the long run, and with sequential scans, which would show
    /// that an index is missing.
    private static func planAnew(_ lane: Lane) async throws {
        try await lane.run(
            "SELECT set_config('plan_cache_mode', 'force_generic_plan', false), set_config('enable_seqscan', 'on', false)"
        )
        try await lane.run("DISCARD PLANS")
    }

    /// What may read all of a small table: a salt a day, deleted after two; two positions; a row a
    /// migration, a section, and an endpoint; at most 100 drafts and test devices; a row a campaign; those
    /// who operate the service, where they are signed in, and their keys; the names of what was published,
    /// if nobody knows which are asked for; partitions; the limits of who called just before, whose rows
    /// change too often for an index. Levels are looked at once an hour.
    static var readsAll: Regex<Substring> {
        /visitor_salts|count_positions|schema_migrations|pg_inherits|applied_files|config_drafts|test_devices|FROM offer_campaigns c ORDER|FROM people WHERE removed_at|FROM api_keys ORDER BY|ON p.id = s.person WHERE true|FROM publications WHERE marked_items|FROM webhooks|DELETE FROM rate_limits|GROUP BY campaign$|FROM reward_postings GROUP BY unit|'active' FROM users|'10-19'|^SELECT count\(\*\) FROM users/
    }

    static func lanes(_ db: Database) -> [Lane] {
        [db.landings, db.read, db.lists, db.write, db.walks, db.bulk]
    }

    @Test func `no statement of the product reads a whole table`() async throws {
        try await withCalls { app in
            for lane in Self.lanes(app.db) {
                try await Self.planAnew(lane)
                let statements = try await prepared(lane).filter {
                    $0.sql.contains(/SELECT|INSERT|UPDATE|DELETE/)
                }
                #expect(statements.count >= 2)
                for statement in statements where !statement.sql.contains(Self.readsAll) {
                    for node in try await plan(of: statement, lane) {
                        let kind = node["Node Type"] as? String ?? ""
                        #expect(kind != "Seq Scan", "\(statement.sql)")
                        if kind.contains("Index") || kind.contains("Bitmap") {
                            let rows = node["Plan Rows"] as? Int ?? .max
                            // The planner cannot know how small the LIMIT of a list of all acts is, nor how
                            // little is old.
                            if statement.sql.contains(
                                /FROM audit\nWHERE true|FROM publications|AND offer_type = 3|DELETE FROM \w+ WHERE \w+ <|min\(e\.exposed_at\)|FROM counts WHERE day <|FROM clicks WHERE seq >=|ORDER BY clicks DESC|ORDER BY accepted_at DESC/
                            ) {
                                continue
                            }
                            // The planner expects ten elements in an array: the friends of ten users are 300.
                            #expect(rows <= 400, "\(rows) rows of \(kind) in \(statement.sql)")
                        }
                    }
                }
            }
        }
    }

    /// The most frequent statements, by a part of their text, and all indexes that they use.
    private static let hot: [(String, Set<String>)] = [
        ("LIMIT 1)\nFROM users u WHERE id = ANY", ["users_pkey", "username_periods_pkey"]),
        ("FROM user_of_name(", ["usernames_pkey", "users_pkey"]),
        ("SELECT (invite).code", ["invites_pkey", "users_pkey"]),
        ("ORDER BY since DESC, other_id LIMIT", ["relationships_friends", "users_pkey"]),
        ("LEFT JOIN signups s", ["acceptances_pkey", "signups_pkey", "users_pkey"]),
        ("FROM api_keys WHERE id", ["api_keys_pkey"]),
        ("FROM reward_signals\nWHERE mark = ANY", ["reward_signals_mark"]),
        ("FROM reward_signals\nWHERE mark = $", ["reward_signals_mark"]),
        ("FROM relationships WHERE user_id = $1 AND other_id", ["relationships_pkey"]),
        ("FROM acceptances\nWHERE inviter_id", ["acceptances_inviter"]),
        ("ORDER BY used_at DESC", ["invite_uses_recent"]),
        ("idempotency_key = ", ["invites_by_owner_idempotency"]),
        ("AND other_id = ANY", ["relationships_pkey"]),
        ("SET installation =", ["installs_pkey"]), ("[g.measure]) AND c.day = ANY", ["counts_pkey"]),
        ("ORDER BY c.day", ["counts_pkey"]),
        ("FROM counts\nWHERE subject", ["counts_pkey"]),
        ("SELECT DISTINCT subject, measure", ["counts_days", "counts_pkey"]),
        ("FROM clicks WHERE seq >=", ["clicks_seq"]), ("DELETE FROM clicks WHERE seq", ["clicks_seq"]),
        ("DELETE FROM counts WHERE subject = ANY($1)", ["counts_pkey"]),
        ("sum(count)::int8 FROM counts\n-- A literal", ["counts_pkey"]),
        ("DELETE FROM counts c USING", ["counts_pkey"]), ("UPDATE counts c SET", ["counts_pkey"]),
        ("SELECT DISTINCT day::text, app", ["client_versions_pkey"]),
        ("row_number() OVER (PARTITION BY app, platform", ["client_versions_day"]),
        ("FROM client_versions\nWHERE day BETWEEN", ["client_versions_day"]),
        ("FROM links\nWHERE code = ANY", ["links_pkey"]),
        ("FROM links\nWHERE code = $1 AND domain", ["links_pkey"]),
        ("UPDATE links SET", ["links_pkey"]),
        ("DELETE FROM links\nWHERE code", ["links_pkey"]),
        ("FROM links WHERE lapses", ["links_lapsed"]),
        ("kind <> 'deleted'\nORDER BY created_at DESC", ["links_newest"]),
        ("AND (created_at, code) < ", ["links_newest"]),
        ("kind <> 'deleted'\nORDER BY created_at ASC", ["links_newest"]),
        ("kind <> 'deleted'\nORDER BY sort_name ASC", ["links_named"]),
        ("UPDATE links l SET clicks", ["links_pkey"]),
        ("AS used (subject, measure", ["counts_pkey", "clicks_pkey"]),
        ("SELECT day::text, sum(count)::bigint", ["counts_pkey"]),
        ("jsonb_each_text(CASE jsonb_typeof(c.parts", ["counts_pkey"]),
        ("FROM links WHERE tags @> $1\nORDER BY clicks", ["links_tagged"]),
        ("WITH named AS MATERIALIZED", ["links_pkey"]),
        ("WHERE day = 'infinity'", ["counts_most"]),
        ("FROM link_claims WHERE", ["link_claims_expired", "link_claims_pkey"]),
        ("AND i.claim_id =", ["installs_claimed", "users_pkey"]),
        ("SET invitee_id =", ["installs_claimed"]),
        ("tapped_at > now() - interval '2 days'", ["installs_facts"]),
        ("FROM installs WHERE expires_at", ["installs_expired", "installs_pkey"]),
        ("AND campaign <>", ["offer_codes_id"]),
        (
            "FOR UPDATE SKIP LOCKED)\nUPDATE offer_codes",
            ["offer_codes_left", "offer_codes_of_user", "offer_codes_id"]
        ),
        (
            "SELECT o.user_id, o.campaign, o.dealt_at, o.expires_at",
            ["offer_codes_of_user", "offer_campaigns_pkey"]
        ),
        ("c.offer = ANY", ["offer_campaigns_offer"]),
        (
            "WITH mine AS MATERIALIZED (\n    SELECT original_transaction_id",
            ["purchases_user", "purchases_pkey", "purchase_periods_pkey"]
        ),
        (
            "WITH redeemed AS MATERIALIZED",
            ["purchases_user", "purchases_pkey", "purchase_periods_pkey"]
        ),
        ("FROM referrals WHERE purchase = $1 AND program", ["referrals_purchase"]),
        ("UPDATE referrals SET refunded_at = NULL", ["referrals_purchase"]),
        ("bool_or(refunded_at IS NOT NULL)", ["referrals_left"]),
        ("FROM referrals\nWHERE qualified_at IS NOT NULL AND made_at IS NULL", ["referrals_due"]),
        ("FROM rewards\nWHERE state = 'pending' AND due_at", ["rewards_due"]),
        ("original_transaction_id = ANY($1) AND revoked_at", ["purchase_periods_pkey"]),
        ("ORDER BY heard_at DESC", ["relationships_incoming"]),
        ("ORDER BY asked_at DESC", ["relationships_outgoing"]),
        ("ORDER BY blocked_at DESC", ["relationships_blocks"]),
        ("FROM users WHERE id = ANY", ["users_pkey"]),
        ("starts_with(fold(other_username)", ["relationships_friends", "users_pkey"]),
        ("count(*) OVER ()", ["relationships_friends", "relationships_pkey", "users_pkey"]),
        ("AS weight", ["relationships_friends", "dismissals_pkey", "users_pkey"]),
        ("IN (SELECT unnest", ["relationships_friends"]),
        (
            "ORDER BY change, other_id",
            ["relationships_changes", "relationships_incoming", "relationships_outgoing", "users_pkey"]
        ),
        (
            "AS is_hidden",
            ["relationships_pkey", "relationships_friends", "relationships_away", "relationships_outgoing"]
        ),
        (
            "i_block AS they_block, since,",
            ["relationships_pkey", "relationships_friends", "relationships_away", "relationships_incoming"]
        ),
    ]

    /// Indexes in whose place another will do: where the order of friends does not matter, and for the one
    /// code that a user has of a campaign. Which one the planner takes depends on its sample of the rows.
    private static let alike = [
        "relationships_names": "relationships_friends",
        "invites_by_owner_pkey": "invites_by_owner_idempotency", "offer_codes_user": "offer_codes_of_user",
    ]

    @Test func `the hot statements were among them, and use the indexes made for them`() async throws {
        try await withCalls { app in
            var statements: [(Prepared, Lane)] = []
            for lane in Self.lanes(app.db) {
                try await Self.planAnew(lane)
                statements += try await prepared(lane).map { ($0, lane) }
            }
            for (text, indexes) in Self.hot {
                let (statement, lane) = try #require(statements.first { $0.0.sql.contains(text) }, "\(text)")
                let used = try await plan(of: statement, lane).compactMap {
                    ($0["Index Name"] as? String).map { Self.alike[$0] ?? $0 }
                }
                // Either index that begins with the user can read all rows of a user.
                #expect(
                    Set(used).subtracting(["relationships_changes", "relationships_pkey"]).isSubset(
                        of: indexes),
                    "\(statement.sql)"
                )
                #expect(indexes.isSubset(of: Set(used).union(["relationships_changes"])), "\(statement.sql)")
            }
        }
    }

    @Test func `a page of friends is one range of one index`() async throws {
        try await withManyUsers { app in
            try await app.db.withConnection { try await $0.script("VACUUM relationships") }
            _ = try await app.get("/v1/friends?limit=10", as: "u-user100")
            try await Self.planAnew(app.db.lists)
            let lists = try await prepared(app.db.lists).filter { $0.sql.contains("ORDER BY since DESC") }
            let nodes = try await plan(of: try #require(lists.first), app.db.lists)
            let scans = nodes.filter { $0["Relation Name"] as? String == "relationships" }
            #expect(scans.map { $0["Node Type"] as? String } == ["Index Only Scan"])
            #expect(scans.map { $0["Index Name"] as? String } == ["relationships_friends"])
            #expect(!nodes.contains { $0["Node Type"] as? String == "Sort" })
        }
    }

    @Test func `a page of friends by name is one range of one index`() async throws {
        try await withManyUsers { app in
            _ = try await app.get("/v1/friends?order=name&limit=10", as: "u-user100")
            try await Self.planAnew(app.db.lists)
            let lists = try await prepared(app.db.lists).filter { $0.sql.contains("ORDER BY other_sort_key") }
            let nodes = try await plan(of: try #require(lists.first), app.db.lists)
            let scans = nodes.filter { $0["Relation Name"] as? String == "relationships" }
            #expect(scans.map { $0["Index Name"] as? String } == ["relationships_names"])
            #expect(!nodes.contains { $0["Node Type"] as? String == "Sort" })
        }
    }

    @Test func `the check of namesakes reads only the names of its slice`() async throws {
        try await withManyUsers { app in
            let check = TableCheckStore(db: app.db, check: .namesakes)
            let statement = check.statement(.texts(from: "olduser100", before: "olduser101"))
            let sql = statement.sql.replacing("$1", with: "'olduser100'").replacing(
                "$2", with: "'olduser101'")
            #expect(statement.binds.count == 2)
            let results = try await app.db.bulk.batch([
                TableCheckStore.preferIndexes,
                Statement(text: "EXPLAIN (FORMAT JSON) \(sql)"),
            ])
            let text = try results[1].first { try $0.next(as: String.self) } ?? ""
            let plans = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]]
            let nodes = Self.nodes(try #require(plans?.first?["Plan"] as? [String: Any]))
            #expect(!nodes.contains { $0["Node Type"] as? String == "Seq Scan" })
            let scans = nodes.filter { ($0["Index Name"] as? String)?.hasPrefix("username_periods") == true }
            #expect(scans.count == 2)
            for node in scans {
                let (index, condition) = (node["Index Name"] as? String, node["Index Cond"] as? String ?? "")
                #expect(index == "username_periods_left" || condition.contains("user_id"), "\(node)")
            }
        }
    }

    @Test(arguments: [false, true]) func `a redirect reads only a few pages, and counts friends by an index`(
        countsFriends: Bool
    ) async throws {
        try await withManyUsers { app in
            let inviter = User.ID(of: User.UID(stored: "u-user100"))
            let name = try #require(Username.Key("olduser100"))
            let store = InviterStore(
                db: app.db, byName: .auto, profile: User.Profile.shown(), countsFriends: countsFriends)
            let statement = store.statement([inviter: name])
            #expect(statement.binds.count == 3)
            var sql = statement.sql.replacing("$1", with: "ARRAY['\(name)']")
            for bind in ["$2", "$3"] { sql = sql.replacing(bind, with: "ARRAY['\(inviter.uuid)'::uuid]") }
            try await Self.planAnew(app.db.read)
            let explain = Statement(text: "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) \(sql)")
            let text = try await app.db.read.first(explain) { try $0.next(as: String.self) } ?? ""
            let plans = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]]
            let plan = try #require(plans?.first?["Plan"] as? [String: Any])
            let pages = (plan["Shared Hit Blocks"] as? Int ?? 0) + (plan["Shared Read Blocks"] as? Int ?? 0)
            #expect((1...20).contains(pages))
            #expect(text.contains("relationships_") == countsFriends && !text.contains("Seq Scan"))
            #expect(plan["Actual Rows"] as? Int == 1)
        }
    }
}
