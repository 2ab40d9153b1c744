import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import Postgres
import TestSupport
import Testing

@testable import Kith

/// A database that answers, but is not as Kith needs it: by the hand of an operator, or another's settings.
@Suite(.inTurns) struct DatabaseTroubleTests {
    /// A role that owns nothing, and may do everything with the tables.
    private func withRole(_ body: (_ admin: Database, _ role: String, _ url: String) async throws -> Void)
        async throws
    {
        let url = try await TestServer.shared.database()
        let admin = try Database(Database.Configuration(url: url))
        // A role is the whole server's: each test has one of its own, named as its database is.
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
        let router = OpsRoutes(
            db: app.db, metrics: Metrics(), connections: OpenConnections(limit: 1), readiness: readiness
        ).router()
        return try await Application(router: router, logger: Logger(label: "ops")).test(.router) { client in
            try await client.execute(uri: "/readyz", method: .get) {
                TestApp.Answer(
                    status: $0.status.code, headers: $0.headers, bytes: Array($0.body.readableBytesView))
            }
        }
    }

    @Test(arguments: [
        ("REVOKE ALL ON users FROM ROLE", "GRANT ALL ON users TO ROLE", "tables users: make"),
        ("REVOKE INSERT ON signups FROM ROLE", "GRANT ALL ON signups TO ROLE", "tables signups: make"),
        ("ALTER TABLE users RENAME TO others", "ALTER TABLE others RENAME TO users", "not the tables users:"),
        ("ALTER SCHEMA public RENAME TO other", "ALTER SCHEMA other RENAME TO public", "kith migrate"),
    ])
    func `while it refuses Kith's statements, answers are 503, and Kith is not ready and says why`(
        breaking: String, mending: String, reason: String
    ) async throws {
        try await withRole { admin, role, url in
            try await TestApp.run(configure: { $0.database.url = url }) { (app) async throws in
                try await app.signUp("ann")
                let (lines, body) = (LogLines(), #"{"username":"bob"}"#)
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
                #expect(lines.all.first?.hasPrefix("error: not ready reason=") == true)
                #expect(lines.all.last == "notice: ready again")
            }
        }
    }

    @Test func `an older schema is not ready, a newer one is`() async throws {
        try await TestApp.run { (app) async throws in
            try await app.db.write.run("INSERT INTO schema_migrations (version, name) VALUES (9999, 'later')")
            #expect(try await ready(app).status == 200)
            try await app.db.write.run("DELETE FROM schema_migrations WHERE version > 3")
            let answer = try await ready(app)
            #expect(answer.status == 503)
            #expect(answer.text == "the schema is older than this kith: run `kith migrate`\n")
        }
    }

    @Test func `readiness looks at every table, and waits for no lock on those that requests use`()
        async throws
    {
        try await TestApp.run { (app) async throws in
            let tables = try await app.db.read.query(
                "SELECT tablename::text FROM pg_tables WHERE schemaname = 'public' ORDER BY 1"
            ) { try $0.next(as: String.self) }
            #expect(tables == SchemaStore.tables)
            try await app.db.withConnection { session in
                try await session.script("BEGIN; LOCK TABLE users, links, usernames")
                #expect(try await ready(app).status == 200)
                try await session.script("ROLLBACK")
            }
        }
    }

    @Test(arguments: ["DATABASE", "ROLE"])
    func `settings of the role or the database change nothing`(of: String) async throws {
        let url = try await TestServer.shared.database()
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
        try await TestApp.run(configure: { $0.database.url = url }) { (app) async throws in
            try await app.signUp("ann")
            try await app.signUp("bob", invite: TestApp.link("ann", "u-ann"))
            try await app.rename("u-ann", to: "anna")
            #expect(try await app.get("/users/ann?invitedBy=u-ann").status == 302)
            #expect(try await app.get("/v1/friends", as: "u-ann").text.contains("u-bob"))
            #expect(try await app.get("/v1/friends/changes", as: "u-ann").status == 200)
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
