import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import Kith

/// How PostgreSQL runs what the product really sends, on a data set where a bad plan would show.
///
/// The statements are taken from the connection that ran them: what it has prepared is what was sent.
@Suite(.inTurns) struct PlanTests {
    private static let users = 20_000

    /// A database with many users, 30 friends each and an extra link each, and one connection a lane.
    private func withManyUsers(_ body: @Sendable (TestApp) async throws -> Void) async throws {
        try await TestApp.run(limits: {
            for lane in [\Database.Configuration.landings, \.read, \.lists, \.walks, \.bulk, \.write] {
                $0[keyPath: lane].connections = 1
            }
            $0.write.deadline = .seconds(120)
        }) { app in
            try await app.db.withConnection { try await $0.script(Self.population) }
            try await body(app)
        }
    }

    private static let population = """
        CREATE FUNCTION pg_temp.id(n int) RETURNS uuid LANGUAGE sql IMMUTABLE AS
            $$ SELECT substr(sha256(convert_to('u-user' || n, 'UTF8'))::text, 3, 32)::uuid $$;
        CREATE FUNCTION pg_temp.code(n int) RETURNS text LANGUAGE sql IMMUTABLE AS
            $$ SELECT translate(substr(md5('code' || n), 1, 16), '', '') $$;
        CREATE TEMP TABLE people AS
            SELECT n, pg_temp.id(n) AS id, 'user' || n AS name, now() - n * interval '1 minute' AS at
            FROM generate_series(1, \(users)) n;
        CREATE UNIQUE INDEX ON people (n);
        INSERT INTO users (id, uid, username, created_at) SELECT id, 'u-' || name, name, at FROM people;
        INSERT INTO usernames (name_key, user_id, state) SELECT name, id, 'active' FROM people;
        INSERT INTO usernames (name_key, user_id, state) SELECT 'old' || name, id, 'released' FROM people;
        INSERT INTO username_periods (user_id, name_key, username, valid_from, valid_to)
            SELECT id, 'old' || name, 'old' || name, at - interval '1 day', at FROM people;
        INSERT INTO username_periods (user_id, name_key, username, valid_from)
            SELECT id, name, name, at FROM people;
        INSERT INTO signups (user_id, name_key, username, outcome, friendship)
            SELECT id, name, name, 'none', 'none' FROM people;
        INSERT INTO relationships (user_id, other_id, other_uid, other_username, i_want, they_want, since)
            SELECT a.id, b.id, 'u-' || b.name, b.name, true, true, now() - d * interval '1 hour'
            FROM people a, generate_series(1, 15) d, unnest(ARRAY[d, -d]) AS step,
                 LATERAL (SELECT * FROM people p WHERE p.n = 1 + (a.n - 1 + step + \(users)) % \(users)) b;
        INSERT INTO relationships (user_id, other_id, other_uid, i_want, they_want, asked_at, heard_at)
            SELECT a.id, b.id, 'u-' || b.name, step > 0, step < 0,
                   CASE WHEN step > 0 THEN now() END, CASE WHEN step < 0 THEN now() END
            FROM people a, generate_series(16, 20) d, unnest(ARRAY[d, -d]) AS step,
                 LATERAL (SELECT * FROM people p WHERE p.n = 1 + (a.n - 1 + step + \(users)) % \(users)) b;
        INSERT INTO relationships (user_id, other_id, other_uid, i_block, they_block, blocked_at)
            SELECT a.id, b.id, 'u-' || b.name, step > 0, step < 0, CASE WHEN step > 0 THEN now() END
            FROM people a, unnest(ARRAY[21, -21]) AS step,
                 LATERAL (SELECT * FROM people p WHERE p.n = 1 + (a.n - 1 + step + \(users)) % \(users)) b;
        INSERT INTO dismissals (user_id, other_id, other_uid)
            SELECT a.id, b.id, 'u-' || b.name FROM people a JOIN people b ON b.n = a.n + 25;
        INSERT INTO links (code, owner_id, kind) SELECT pg_temp.code(n), id, 'extra' FROM people;
        INSERT INTO links_by_owner (owner_id, code, kind, idempotency_key, request_sha256)
            SELECT id, pg_temp.code(n), 'extra', 'key', '' FROM people;
        INSERT INTO link_uses (code, user_id)
            SELECT pg_temp.code(a.n), b.id
            FROM people a JOIN people b ON b.n BETWEEN a.n + 1 AND a.n + 3;
        INSERT INTO acceptances (invitee_id, inviter_id, code)
            SELECT b.id, a.id, NULL FROM people a JOIN people b ON b.n = a.n + 1;
        INSERT INTO dismissals (user_id, other_id, other_uid)
            SELECT a.id, b.id, 'u-' || b.name FROM people a JOIN people b ON b.n = a.n + 2;
        INSERT INTO api_keys (id, name, scope, sha256)
            SELECT substr(md5('key' || n), 1, 12), 'n', 'server', '' FROM people;
        ANALYZE;
        """

    private func drive(_ app: TestApp) async throws {
        let (ann, code) = (
            "u-user100",
            try await app.db.read.first("SELECT min(code) FROM links") {
                try $0.next(as: String.self)
            } ?? ""
        )
        let key = try await APIKeyStore(db: app.db).create(name: "plan", scope: .server)
        for path in [
            "/users/user100?invitedBy=u-user100", "/users/olduser100?invitedBy=u-user100", "/users/user100",
            "/users/user100/qr.svg?invitedBy=u-user100", "/\(code)",
        ] {
            #expect([200, 302].contains(try await app.get(path).status), "\(path)")
        }
        let owner = try #require(
            try await app.db.read.first(
                "SELECT u.uid FROM links l JOIN users u ON u.id = l.owner_id ORDER BY code"
            ) {
                try $0.next(as: String.self)
            })
        for (uid, path) in [
            (ann, "/v1/me"), (ann, "/v1/users/u-user101"), (ann, "/v1/friends?limit=10"),
            (ann, "/v1/friends/count"), (ann, "/v1/friends?order=name"), (ann, "/v1/friends?prefix=user1"),
            (ann, "/v1/requests"), (ann, "/v1/requests?direction=outgoing"), (ann, "/v1/blocks"),
            (ann, "/v1/friends/u-user110/mutual"), (ann, "/v1/friends/u-user150/path"),
            (ann, "/v1/suggestions"),
            (ann, "/v1/friends/changes"),
            (ann, "/v1/me/usernames"), (ann, "/v1/usernames/user5"), (ann, "/v1/me/invite"),
            (ann, "/v1/invites"), (ann, "/v1/me/invited"),
            (owner, "/v1/invites/\(code)"),
        ] {
            #expect(try await app.get(path, as: uid).status == 200, "\(path)")
        }
        for action in FriendAction.allCases {
            #expect(try await app.act(action, "u-user5000", on: "u-user6000").status == 200)
        }
        #expect(try await app.relationships(ann, ["u-user101", "u-user116"]) == ["friends", "outgoing"])
        #expect(try await app.call(.delete, "/v1/suggestions/u-user7000", as: ann).status == 204)
        let keyed = try await app.get("/v1/me", headers: [.authorization: "Bearer \(key)", .kithUser: ann])
        #expect(keyed.status == 200)
        for (name, invite): (String, Body) in [
            ("new1", TestApp.link("user100", ann)), ("new2", ["code": code]),
            ("new3", ["username": "user100"]),
        ] {
            #expect(try await app.post("/v1/invites/resolve", as: "u-user9", invite).status == 200)
            #expect(try await app.post("/v1/invites/accept", as: "u-user9", invite).status == 200)
            try await app.signUp(name, invite: invite)
            let again: Body = ["username": name, "invite": invite]
            #expect(try await app.post("/v1/signup", as: "u-\(name)", again).status == 200)
        }
        try await app.rename(ann, to: "renamed")
        #expect(try await app.post("/v1/invites", as: ann, headers: [.idempotencyKey: "again"]).status == 201)
        #expect(try await app.post("/v1/invites", as: ann, headers: [.idempotencyKey: "again"]).status == 200)
        #expect(try await app.post("/v1/me/invite/rotate", as: ann).status == 200)
        #expect(try await app.call(.patch, "/v1/me", as: ann, body: ["displayName": "Ann"]).status == 200)
        #expect(try await app.call(.delete, "/v1/invites/\(code)", as: owner).status == 200)
        try await driveAccounts(app)
    }

    private func driveAccounts(_ app: TestApp) async throws {
        let key = try await APIKeyStore(db: app.db).create(name: "plan", scope: .admin)
        let admin: HTTPFields = [.authorization: "Bearer \(key)"]
        let user = "/v1/users/u-user19000"
        let calls: [(HTTPRequest.Method, String, Body?)] = [
            (.put, "/suspension", [:]), (.delete, "/suspension", nil),
            (.get, "/invited", nil), (.put, "/invited/freeze", ["reason": "x"]),
            (.delete, "/invited/freeze", nil),
        ]
        for (method, path, body) in calls {
            #expect(try await app.call(method, user + path, headers: admin, body: body).status == 200)
        }
        #expect(try await app.get("/v1/me/export", as: "u-user19000").status == 200)
        #expect(try await app.call(.delete, "/v1/me", as: "u-user19000").status == 204)
    }

    private struct Prepared {
        let name: String
        let sql: String
        let parameters: Int
    }

    /// What the one connection of a lane has prepared of the product's own statements.
    private func prepared(_ lane: Lane) async throws -> [Prepared] {
        try await lane.query(
            """
            SELECT name, statement, cardinality(parameter_types)::bigint FROM pg_prepared_statements
            WHERE statement !~ 'secrets|set_config|pg_prepared_statements|min\\(code\\)|ORDER BY code|string_agg'
            """
        ) { try Prepared(name: $0.next(), sql: $0.next(), parameters: $0.next()) }
    }

    /// The nodes of a plan for any values, outermost first.
    private func plan(of statement: Prepared, _ lane: Lane) async throws -> [[String: Any]] {
        let values = [String](repeating: "NULL", count: statement.parameters).joined(separator: ", ")
        let sql =
            "EXPLAIN (FORMAT JSON) EXECUTE \(statement.name)"
            + (statement.parameters == 0 ? "" : "(\(values))")
        let text = try await lane.first(Statement(text: sql)) { try $0.next(as: String.self) } ?? ""
        let plans = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]]
        return Self.nodes(try #require(plans?.first?["Plan"] as? [String: Any]))
    }

    private static func nodes(_ node: [String: Any]) -> [[String: Any]] {
        [node] + (node["Plans"] as? [[String: Any]] ?? []).flatMap(nodes)
    }

    private static func lanes(_ db: Database) -> [Lane] {
        [db.landings, db.read, db.lists, db.write, db.walks, db.bulk]
    }

    @Test func `no statement of the product reads a whole table`() async throws {
        try await withManyUsers { app in
            try await drive(app)
            for lane in Self.lanes(app.db) {
                try await lane.run("SELECT set_config('plan_cache_mode', 'force_generic_plan', false)")
                let statements = try await prepared(lane).filter { $0.sql.contains(/SELECT|INSERT|UPDATE/) }
                #expect(statements.count >= 2)
                for statement in statements {
                    for node in try await plan(of: statement, lane) {
                        let kind = node["Node Type"] as? String ?? ""
                        #expect(kind != "Seq Scan", "\(statement.sql)")
                        if kind.contains("Index") || kind.contains("Bitmap") {
                            let rows = node["Plan Rows"] as? Int ?? .max
                            // The planner takes a list for ten: here ten users' friends are 300.
                            #expect(rows <= 400, "\(rows) rows of \(kind) in \(statement.sql)")
                        }
                    }
                }
            }
        }
    }

    @Test func `the hot statements were among them, and run by the indexes made for them`() async throws {
        try await withManyUsers { app in
            try await drive(app)
            var statements: [(Prepared, Lane)] = []
            for lane in Self.lanes(app.db) {
                try await lane.run("SELECT set_config('plan_cache_mode', 'force_generic_plan', false)")
                statements += try await prepared(lane).map { ($0, lane) }
            }
            let hot: [(String, Set<String>)] = [
                ("ORDER BY valid_from DESC LIMIT 1),", ["users_pkey", "username_periods_pkey"]),
                ("state = 'active')\nSELECT u.uid", ["usernames_pkey", "users_pkey"]),
                ("ORDER BY since DESC, other_id LIMIT", ["relationships_friends", "users_pkey"]),
                ("FROM links WHERE code = $1)", ["links_pkey", "users_pkey"]),
                ("LEFT JOIN signups s", ["signups_pkey", "users_pkey"]),
                ("FROM api_keys WHERE id", ["api_keys_pkey"]),
                ("FROM relationships WHERE user_id = $1 AND other_id", ["relationships_pkey"]),
                ("FROM acceptances", ["acceptances_inviter", "relationships_pkey", "users_pkey"]),
                ("FROM link_uses", ["link_uses_recent", "users_pkey"]),
                ("idempotency_key = ", ["links_by_owner_idempotency"]),
                ("AND other_id = ANY", ["relationships_pkey"]),
                (
                    "ORDER BY heard_at DESC",
                    ["relationships_incoming", "users_pkey"]
                ),
                (
                    "ORDER BY asked_at DESC",
                    ["relationships_outgoing", "users_pkey"]
                ),
                ("ORDER BY blocked_at DESC", ["relationships_blocks", "users_pkey"]),
                ("starts_with(name", ["relationships_friends", "users_pkey"]),
                ("count(*) FROM common", ["relationships_friends", "relationships_pkey", "users_pkey"]),
                ("AS weight", ["relationships_friends", "dismissals_pkey", "users_pkey"]),
                ("AS second", ["relationships_friends", "relationships_pkey", "users_pkey"]),
                ("ORDER BY changed_in", ["relationships_changes", "users_pkey"]),
                (
                    "AS their_declines",
                    [
                        "relationships_pkey", "relationships_friends", "relationships_away",
                        "relationships_outgoing", "relationships_incoming",
                    ]
                ),
                (
                    "ON CONFLICT (user_id, other_id) DO UPDATE",
                    ["relationships_pkey", "relationships_incoming", "users_pkey"]
                ),
            ]
            for (text, indexes) in hot {
                let (statement, lane) = try #require(statements.first { $0.0.sql.contains(text) }, "\(text)")
                let used = try await plan(of: statement, lane).compactMap {
                    $0["Index Name"] as? String
                }
                // All rows of a user may be read by either index that begins with the user.
                #expect(
                    Set(used).subtracting(["relationships_changes"]).isSubset(of: indexes), "\(statement.sql)"
                )
                #expect(indexes.isSubset(of: Set(used).union(["relationships_changes"])), "\(statement.sql)")
            }
        }
    }

    @Test func `a page of friends is one stretch of one index`() async throws {
        try await withManyUsers { app in
            try await app.db.withConnection { try await $0.script("VACUUM relationships") }
            _ = try await app.get("/v1/friends?limit=10", as: "u-user100")
            try await app.db.lists.run("SELECT set_config('plan_cache_mode', 'force_generic_plan', false)")
            let lists = try await prepared(app.db.lists).filter { $0.sql.contains("ORDER BY since DESC") }
            let nodes = try await plan(of: try #require(lists.first), app.db.lists)
            let scans = nodes.filter { $0["Relation Name"] as? String == "relationships" }
            #expect(scans.map { $0["Node Type"] as? String } == ["Index Only Scan"])
            #expect(scans.map { $0["Index Name"] as? String } == ["relationships_friends"])
            #expect(!nodes.contains { $0["Node Type"] as? String == "Sort" })
        }
    }

    @Test func `the sweep of namesakes reads the names of its slice, and not all there are`() async throws {
        try await withManyUsers { app in
            let sweep = SweepStore(db: app.db, sweep: .namesakes)
            let statement = sweep.statement(.texts(from: "olduser100", before: "olduser101"))
            let sql = statement.sql.replacing("$1", with: "'olduser100'").replacing(
                "$2", with: "'olduser101'")
            #expect(statement.binds.count == 2)
            let results = try await app.db.bulk.batch([
                SweepStore.preferIndexes,
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

    @Test func `a redirect touches a handful of pages`() async throws {
        try await withManyUsers { app in
            let inviter = User.ID(of: User.UID(stored: "u-user100"))
            let name = try #require(Username.Key("olduser100"))
            let statement = LinkStore.inviterStatement(name: name, inviter: inviter)
            #expect(statement.binds.count == 3)
            let sql = statement.sql.replacing("$1", with: "'\(inviter.uuid)'").replacing(
                "$2", with: "'\(name)'"
            ).replacing("$3", with: "'\(inviter.uuid)'")
            let explain = Statement(text: "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) \(sql)")
            let text = try await app.db.read.first(explain) { try $0.next(as: String.self) } ?? ""
            let plans = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]]
            let plan = try #require(plans?.first?["Plan"] as? [String: Any])
            let pages = (plan["Shared Hit Blocks"] as? Int ?? 0) + (plan["Shared Read Blocks"] as? Int ?? 0)
            #expect((1...20).contains(pages))
            #expect(plan["Actual Rows"] as? Int == 1)
        }
    }
}
