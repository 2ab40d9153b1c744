import Foundation
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import HTTPServer
@testable import Kith
@testable import Web

/// A PostgreSQL that leaves Kith fewer connections than it wants.
@Suite(.inTurns) struct ConnectionLimitTests {
    /// A role that may do all on the tables, and have so many connections.
    private func withRole(
        limit: Int, _ body: (_ admin: Database, _ role: String, _ url: String) async throws -> Void
    ) async throws {
        let url = try await TestPostgres.shared.migratedDatabase()
        let admin = try Database(Database.Configuration(url: url))
        let role = "limit_" + String(try #require(url.firstMatch(of: /test%5F([0-9a-f]+)/)).output.1)
        try await admin.withConnection {
            try await $0.script(
                "CREATE ROLE \(role) LOGIN CONNECTION LIMIT \(limit); GRANT ALL ON ALL TABLES IN SCHEMA public TO \(role)"
            )
        }
        try await body(admin, role, url.replacing("user=postgres", with: "user=\(role)"))
        try await admin.withConnection { try await $0.script("DROP OWNED BY \(role); DROP ROLE \(role)") }
        await admin.close()
    }

    @Test func `a server that gets few connections answers links, lists and writes all the same`()
        async throws
    {
        try await withRole(limit: 12) { (_, _, url) async throws in
            let server = try await KithServer.start(["KITH_DATABASE_URL": url])
            #expect(
                try await server.call("POST", "/v1/signup", as: "u-ann", body: ["username": "ann"]).status
                    == 201)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<60 {
                    group.addTask {
                        let name = "user\(number)"
                        let answer = try await server.call(
                            "POST", "/v1/signup", as: "u-\(name)", body: ["username": name])
                        #expect(answer.status == 201, "\(answer.text)")
                        for path in ["/v1/friends", "/v1/me", "/v1/suggestions"] {
                            let answer = try await server.call("GET", path, as: "u-\(name)")
                            #expect(answer.status == 200, "\(path) \(answer.text)")
                        }
                        #expect(try await server.call("GET", "/users/ann?invitedBy=u-ann").status == 200)
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await server.metric(#"kith_database_connections{lane="landings"}"#) == 1)
            #expect(try await server.ops("/readyz").status == 200)
            server.process.terminate()
            let said = await server.exit()
            #expect(said.error.contains("too few database connections"), "\(said.error)")
            #expect(said.error.contains("CONNECTION LIMIT of the role 12"), "\(said.error)")
        }
    }

    @Test func `without a connection for links it is not ready, and says what to do`() async throws {
        try await withRole(limit: -1) { (admin, role, url) async throws in
            let db = try Database(Database.Configuration(url: url))
            let routes = OpsRoutes(
                db: db, metrics: Metrics(), connections: OpenConnections(limit: 1), readiness: Readiness())
            #expect(try await routes.answer("/readyz").status == 200)
            #expect(db.statistics.landings.connectionsUp == 1)
            try await admin.withConnection {
                try await $0.script("ALTER ROLE \(role) CONNECTION LIMIT 1")
                try await $0.script(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'kith landings'"
                )
            }
            try await waitUntil("the connection is gone") { db.statistics.landings.connectionsUp == 0 }
            let answer = try await routes.answer("/readyz")
            #expect(answer.status == 503)
            #expect(
                answer.text.hasPrefix("links have no database connection: PostgreSQL has no"),
                "\(answer.text)")
            #expect(answer.text.contains("CONNECTION LIMIT"))
            try await admin.withConnection { try await $0.script("ALTER ROLE \(role) CONNECTION LIMIT -1") }
            try await waitUntil("it is ready") { try await routes.answer("/readyz").status == 200 }
            await db.close()
        }
    }

    @Test func `commands and a server that get no connection say what to do`() async throws {
        try await withRole(limit: 0) { (_, _, url) async throws in
            for arguments in [["verify"], ["key", "list"], ["serve"]] {
                let outcome = try await KithCommand(
                    arguments, ["KITH_DATABASE_URL": url, "KITH_FIREBASE_PROJECT": "example"]
                ).run()
                #expect(outcome.status == 1)
                #expect(outcome.error.contains("too many connections for role"), "\(outcome.error)")
                #expect(outcome.error.contains("raise max_connections"), "\(outcome.error)")
            }
        }
    }

    @Test func `each limit is known, with what others have of it, and a superuser has only the server's`()
        async throws
    {
        try await withRole(limit: 20) { (admin, role, url) async throws in
            let name = try await admin.read.first("SELECT current_database()::text") {
                try $0.next(as: String.self)
            }
            try await admin.withConnection {
                try await $0.script("ALTER DATABASE \"\(name ?? "")\" CONNECTION LIMIT 30")
            }
            let (db, other) = (
                try Database(Database.Configuration(url: url)), try Database(Database.Configuration(url: url))
            )
            try await db.connect()
            try await other.connect()
            let limits = try await ConnectionLimitStore(db: db, config: DatabaseConfig()).limits()
            #expect(
                limits.map(\.name) == [
                    "max_connections", "CONNECTION LIMIT of the role", "CONNECTION LIMIT of the database",
                ])
            #expect(limits[1] == .init(name: limits[1].name, most: 20, taken: 2))
            #expect(limits[2].most == 30 && limits[2].taken >= 3)
            #expect(limits[0].most > 300 && limits[0].taken >= 3)
            let all = try await ConnectionLimitStore(db: admin, config: DatabaseConfig()).limits()
            #expect(all.map(\.most) == [limits[0].most + 3])
            for database in [db, other] { await database.close() }
        }
    }

    @Test func `it warns of the limit that leaves least, if that is too little`() async throws {
        for (limit, expected) in [(-1, nil), (20, "few database"), (10, "too few database")]
            as [(Int, String?)]
        {
            try await withRole(limit: limit) { (_, _, url) async throws in
                let (db, lines) = (try Database(Database.Configuration(url: url)), LogLines())
                try await db.connect()
                await ConnectionLimitStore(db: db, config: DatabaseConfig()).tell(lines.logger)
                #expect(lines.all.count == (expected == nil ? 0 : 1))
                if let expected { #expect(lines.all[0].hasPrefix("warning: \(expected)"), "\(lines.all)") }
                await db.close()
            }
        }
    }
}
