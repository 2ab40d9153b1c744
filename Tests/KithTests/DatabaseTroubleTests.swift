import Foundation
import HTTPTypes
import Postgres
import Schema
import TestSupport
import Testing

@testable import AppTesting
@testable import HTTPServer
@testable import Kernel
@testable import Kith
@testable import Web

/// A database that answers but that an operator has changed, or whose settings are not those that Kith needs.
@Suite(.inTurns) struct DatabaseTroubleTests {
    /// A role that owns nothing, and has all rights on the tables.
    private func withRole(_ body: (_ admin: Database, _ role: String, _ url: String) async throws -> Void)
        async throws
    {
        let url = try await TestPostgres.shared.migratedDatabase()
        let admin = try Database(Database.Configuration(url: url))
        // Roles belong to the whole server, so each test has one named after its database.
        let role = "role_" + String(try #require(url.firstMatch(of: /test%5F([0-9a-f]+)/)).output.1)
        try await admin.withConnection {
            try await $0.script(
                """
                CREATE ROLE \(role) LOGIN;
                GRANT ALL ON ALL TABLES IN SCHEMA public TO \(role);
                """)
        }
        try await body(admin, role, url.replacing("user=postgres", with: "user=\(role)"))
        try await admin.withConnection { try await $0.script("DROP OWNED BY \(role); DROP ROLE \(role)") }
        await admin.close()
    }

    private func ready(_ app: TestApp, _ readiness: Readiness = Readiness()) async throws -> TestApp.Answer {
        let routes = OpsRoutes(
            db: app.db, metrics: Metrics(), connections: OpenConnections(limit: 1), readiness: readiness)
        return try await routes.answer("/readyz")
    }

    @Test(arguments: [
        ("REVOKE ALL ON users FROM ROLE", "GRANT ALL ON users TO ROLE", "tables users: make"),
        ("REVOKE INSERT ON signups FROM ROLE", "GRANT ALL ON signups TO ROLE", "tables signups: make"),
        (
            "REVOKE UPDATE ON usernames FROM ROLE", "GRANT ALL ON usernames TO ROLE",
            "tables usernames: make"
        ),
        (
            "ALTER FUNCTION require RENAME TO other", "ALTER FUNCTION other RENAME TO require",
            "lacks the functions require:"
        ),
        (
            "ALTER TABLE users RENAME TO others", "ALTER TABLE others RENAME TO users",
            "lacks the tables users:"
        ),
        ("ALTER SCHEMA public RENAME TO other", "ALTER SCHEMA other RENAME TO public", "kith migrate"),
    ])
    func `while the database refuses Kith's statements, answers are 503, and Kith is not ready and says why`(
        breaking: String, mending: String, reason: String
    ) async throws {
        try await withRole { admin, role, url in
            try await TestApp.run(configure: { $0.database.url = url }) { app in
                try await app.signUp("ann")
                let (lines, body): (LogLines, Body) = (LogLines(), ["username": "bob"])
                let readiness = Readiness(logger: lines.logger)
                #expect(try await ready(app, readiness).status == 200)
                try await admin.withConnection { try await $0.script(breaking.replacing("ROLE", with: role)) }
                let answer = try await app.post("/v1/signup", as: "u-bob", body)
                #expect(answer.status == 503, "\(answer.text)")
                #expect(answer.code == "unavailable")
                #expect(answer.headers[.retryAfter] != nil)
                for _ in 0..<2 {
                    let health = try await ready(app, readiness)
                    #expect(health.status == 503)
                    #expect(health.text.contains(reason), "\(health.text)")
                }
                try await admin.withConnection { try await $0.script(mending.replacing("ROLE", with: role)) }
                #expect(try await ready(app, readiness).status == 200)
                #expect(try await app.post("/v1/signup", as: "u-bob", body).status == 201)
                #expect(lines.all.count == 2)
                #expect(lines.all.first?.hasPrefix("error: not ready advice=") == true)
                #expect(lines.all.last == "notice: ready again")
            }
        }
    }

    @Test func `readiness checks every privilege that a server's statements need`() async throws {
        let sources = RepositoryFile.root.appending(path: "Sources")
        var used: [Substring: Set<String>] = [:]
        for case let path as String in try #require(FileManager.default.enumerator(atPath: sources.path))
        where path.hasSuffix(".swift")
            && path.firstMatch(of: /\/(?:Imports|Verify|Migrations|Restores)\//) == nil
        {
            let source = try String(contentsOf: sources.appending(path: path), encoding: .utf8)
            for match in source.matches(of: /\b(INSERT|UPDATE|DELETE)(?: INTO| FROM)? ([a-z_]+)\b/)
            where Migration.tables.contains(String(match.2))
                && !["APIKeyStore.swift", "AppliedStore.swift", "AppliedOfferStore.swift"].contains(
                    where: path.hasSuffix)
            {
                used[match.1, default: []].insert(String(match.2))
            }
        }
        let asked = [
            "INSERT": SchemaStore.tables(.insert), "UPDATE": SchemaStore.tables(.update),
            "DELETE": SchemaStore.tables(.delete),
            "SELECT": Migration.tables,
        ]
        try #require(used.count == 3)
        for (right, tables) in used { #expect(tables.subtracting(asked[String(right)] ?? []) == []) }
        try await withRole { admin, role, url in
            let db = try Database(Database.Configuration(url: url))
            for (right, tables) in asked {
                for table in tables {
                    try await admin.withConnection {
                        try await $0.script("REVOKE \(right) ON \(table) FROM \(role)")
                    }
                    let trouble = try await SchemaStore(db: db).trouble()
                    #expect(trouble?.contains("make the role") == true, "\(right) \(table): \(trouble ?? "")")
                    try await admin.withConnection {
                        try await $0.script("GRANT \(right) ON \(table) TO \(role)")
                    }
                }
            }
            #expect(try await SchemaStore(db: db).trouble() == nil)
            await db.close()
        }
    }

    @Test func `a database that takes no writes answers reads, and is not ready`() async throws {
        try await withRole { admin, role, url in
            // Two scripts, as each is a transaction: a connection made anew reads only what is committed.
            let alter: @Sendable (String) async throws -> Void = { change in
                try await admin.withConnection {
                    try await $0.script("ALTER ROLE \(role) \(change)")
                    try await $0.script(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '\(role)'")
                }
            }
            try await TestApp.run(configure: { $0.database.url = url }) { app in
                try await app.signUp("ann")
                try await alter("SET default_transaction_read_only = on")
                try await waitUntil("it is not ready") {
                    try await ready(app).text.contains("takes no writes")
                }
                #expect(try await ready(app).status == 503)
                #expect(try await app.get("/users/ann?invitedBy=u-ann").status == 200)
                #expect(try await app.get("/v1/friends", as: "u-ann").status == 200)
                let answer = try await app.post("/v1/signup", as: "u-bob", ["username": "bob"])
                #expect(answer.status == 503)
                try await alter("RESET default_transaction_read_only")
                try await waitUntil("it is ready") { try await ready(app).status == 200 }
            }
        }
    }

    @Test func `readiness does not depend on slow writes`() async throws {
        var configuration = Database.Configuration(url: try await TestPostgres.shared.migratedDatabase())
        configuration.write = .init(connections: 1, deadline: .seconds(600), lockTimeout: .zero)
        let db = try Database(configuration)
        let slow = Task { try await db.write.run("SELECT pg_sleep(600)") }
        try await waitUntil("it is under way") { db.statistics.write.inFlight == 1 }
        for before in [nil, SchemaAdvice.readOnly] {
            #expect(try await SchemaStore(db: db).trouble(before: before) == before)
        }
        slow.cancel()
        await db.close()
    }

    @Test func `an error has the database's message, and a refused write advice`()
        async throws
    {
        let db = try Database(Database.Configuration(url: try await TestPostgres.shared.migratedDatabase()))
        let refused = try await #require(throws: PostgresError.self) {
            try await db.read.run("DELETE FROM users")
        }
        #expect(refused.advice?.contains("the database takes no writes") == true)
        #expect(
            refused.explanation == "database error 25006: cannot execute DELETE in a read-only transaction")
        let raised = try await #require(throws: PostgresError.self) {
            try await db.write.run(
                "DO $$ BEGIN RAISE EXCEPTION 'no' USING DETAIL = 'much', HINT = 'less'; END $$")
        }
        #expect(
            raised.explanation.hasPrefix(
                "database error P0001: no; detail: much; hint: less; context: PL/pgSQL"))
        await db.close()
    }

    @Test
    func `a role that may not know the server's number syncs all the same, and is refused it once`()
        async throws
    {
        try await withRole { admin, role, url in
            try await admin.withConnection {
                try await $0.script("REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC")
            }
            try await TestApp.run(configure: { $0.database.url = url }) { app in
                try await app.signUp("ann")
                for _ in 0..<3 {
                    let visit = try await app.get("/v1/me/changes", as: "u-ann")
                    #expect(visit.status == 200, "\(visit.text)")
                }
                let next = try #require(try await app.get("/v1/me/changes", as: "u-ann")["next"])
                #expect(try await app.get("/v1/me/changes?after=\(next)", as: "u-ann").status == 200)
                let refusals = app.db.metricsText().matches(
                    of: /database_errors_total\{[^}]*class="42"\} (\d+)/)
                #expect(refusals.compactMap { Int($0.1) }.reduce(0, +) <= 1)
            }
        }
    }

    @Test func `a command refused by the database says why and what to do`() async throws {
        try await withRole { admin, role, url in
            try await admin.withConnection { try await $0.script("REVOKE ALL ON api_keys FROM \(role)") }
            let outcome = try await KithCommand(["key", "list"], ["KITH_DATABASE_URL": url]).run()
            #expect(outcome.status == 1)
            let said = "kith: database error 42501: permission denied for table api_keys"
            #expect(outcome.error.contains("\(said)\nkith: the role may not use the tables: make the role"))
        }
    }

    @Test func `an older schema is not ready, a newer one is`() async throws {
        try await TestApp.run { app in
            try await app.db.write.run("INSERT INTO schema_migrations (version, name) VALUES (9999, 'later')")
            #expect(try await ready(app).status == 200)
            try await app.db.write.run("DELETE FROM schema_migrations WHERE version > 3")
            let answer = try await ready(app)
            #expect(answer.status == 503)
            #expect(answer.text == "the schema is older than this kith: run `kith migrate`\n")
        }
    }

    @Test func `readiness checks every table, and waits for no lock on tables that requests use`()
        async throws
    {
        try await TestApp.run { app in
            let tables = try await app.db.read.query(
                "SELECT tablename::text FROM pg_tables WHERE schemaname = 'public' ORDER BY 1"
            ) { try $0.next(as: String.self) }
            #expect(tables == Migration.tables)
            try await app.db.withConnection { session in
                try await session.script("BEGIN; LOCK TABLE users, invites, usernames")
                #expect(try await ready(app).status == 200)
                try await session.script("ROLLBACK")
            }
        }
    }

    @Test(arguments: ["DATABASE", "ROLE"])
    func `settings of the role or the database have no effect`(of: String) async throws {
        let url = try await TestPostgres.shared.migratedDatabase()
        let admin = try Database(Database.Configuration(url: url))
        for setting in [
            "bytea_output = escape", "datestyle = German", "intervalstyle = sql_standard",
            "timezone = 'Asia/Kathmandu'", "search_path = nothere", "standard_conforming_strings = off",
            "default_transaction_isolation = serializable", "client_encoding = latin1", "jit = on",
        ] {
            try await admin.withConnection { session in
                try await session.script(
                    """
                    DO $$ BEGIN EXECUTE format('ALTER \(of == "ROLE" ? "ROLE postgres IN " : "")DATABASE %I SET %s',
                        current_database(), $set$\(setting)$set$); END $$
                    """)
            }
        }
        await admin.close()
        try await TestApp.run(configure: { $0.database.url = url }) { app in
            try await app.signUp("ann")
            try await app.signUp("bob", invite: TestApp.link("ann", "u-ann"))
            try await app.rename("u-ann", to: "anna")
            #expect(try await app.get("/users/ann?invitedBy=u-ann").status == 302)
            #expect(try await app.get("/v1/friends", as: "u-ann").text.contains("u-bob"))
            #expect(try await app.get("/v1/me/changes", as: "u-ann").status == 200)
            #expect(try await app.get("/v1/me/export", as: "u-ann").status == 200)
            let settings = try await app.db.write.first(
                """
                SELECT current_setting('timezone') || ' ' || current_setting('default_transaction_isolation') ||
                       ' ' || current_setting('search_path')
                """
            ) { try $0.next(as: String.self) }
            #expect(settings == "UTC read committed nothere, public")
            try await app.importUsers(named: ["cat", "dan"])
            try await app.verify()
            #expect(try await ready(app).status == 200)
        }
    }
}
