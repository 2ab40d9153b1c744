import Foundation
import Postgres
import Schema
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Operations

/// The binary as operators use it.
@Suite(.inTurns) struct ServerTests {
    private func emptyDatabase() async throws -> [String: String] {
        ["KITH_DATABASE_URL": try await TestPostgres.shared.database()]
    }

    private func migratedDatabase() async throws -> [String: String] {
        ["KITH_DATABASE_URL": try await TestPostgres.shared.migratedDatabase()]
    }

    /// Holds up sign-ups until the gate is empty, beyond the lock timeout.
    private static let gate = """
        CREATE TABLE gate AS SELECT true AS is_shut;
        CREATE FUNCTION wait_at_gate() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            WHILE EXISTS (SELECT FROM gate) LOOP PERFORM pg_sleep(0.01); END LOOP;
            RETURN NEW;
        END $$;
        CREATE TRIGGER gate BEFORE INSERT ON users FOR EACH ROW EXECUTE FUNCTION wait_at_gate()
        """

    @Test func `it serves, and SIGTERM lets running requests finish`() async throws {
        let environment = try await migratedDatabase()
        let server = try await KithServer.start(environment)
        let db = try Database(Database.Configuration(url: try #require(environment["KITH_DATABASE_URL"])))
        try await db.withConnection { session in
            try await session.script(Self.gate)
            let signup = Task {
                try await server.call("POST", "/v1/signup", as: "u-ann", body: ["username": "ann"])
            }
            try await waitUntil("the sign-up waits") {
                try await session.first(
                    """
                    SELECT FROM pg_stat_activity
                    WHERE datname = current_database() AND wait_event = 'PgSleep'
                    """
                ) { _ in true } == true
            }
            #expect(try await server.ops("/readyz").status == 200)
            server.process.terminate()
            try await waitUntil("readiness is off") { try await server.ops("/readyz").status == 503 }
            #expect(try await server.ops("/livez").status == 200)
            #expect(server.process.isRunning)
            try await session.run("DELETE FROM gate")
            #expect(try await signup.value.status == 201)
        }
        #expect(await server.exit().status == 0)
        #expect(try await db.read.first("SELECT uid FROM users") { try $0.next(as: String.self) } == "u-ann")
        await db.close()
    }

    @Test func `while it drains, readiness fails and requests are served; then it ends`() async throws {
        var environment = try await migratedDatabase()
        environment["KITH_DRAIN_SECONDS"] = "3600"
        let server = try await KithServer.start(environment)
        server.process.terminate()
        try await waitUntil("readiness is off") { try await server.ops("/readyz").status == 503 }
        #expect(try await server.connect().ask("/robots.txt").hasPrefix("HTTP/1.1 200 OK"))
        kill(server.process.id, SIGKILL)
        _ = await server.exit()

        environment["KITH_DRAIN_SECONDS"] = "1"
        let brief = try await KithServer.start(environment)
        brief.process.terminate()
        #expect(await brief.exit().status == 0)
    }

    @Test func `the pages and the API are on one address, the operators' routes on another`() async throws {
        let server = try await KithServer.start(try await migratedDatabase())
        let signup = try await server.call("POST", "/v1/signup", as: "u-ann", body: ["username": "ann"])
        #expect(signup.status == 201)
        let page = try await server.call("GET", "/users/ann?invitedBy=u-ann")
        #expect(page.status == 200)
        #expect(page.text.contains("\(server.origin)/users/ann/card.jpg?"))
        for path in ["/metrics", "/readyz", "/livez"] {
            #expect(try await server.call("GET", path).status == 404)
            #expect(try await server.ops(path).status == 200)
        }
        _ = try PrometheusText(try await server.ops("/metrics").text)
        server.process.terminate()
        let end = await server.exit()
        #expect(end.status == 0)
        for line in end.error.split(separator: "\n") {
            #expect((try? JSONSerialization.jsonObject(with: Data(line.utf8))) is [String: String], "\(line)")
        }
    }

    @Test func `an old schema is refused with advice, or migrated if asked to`() async throws {
        let environment = try await emptyDatabase()
        let refused = try await KithCommand(["serve"], environment).run()
        #expect(refused.status == 1)
        #expect(refused.error.split(separator: "\n").count == 1)
        #expect(refused.error.contains("kith migrate") && refused.error.contains("0002_users.sql"))
        let server = try await KithServer.start(environment, ["serve", "--migrate"])
        #expect(try await server.ops("/readyz").status == 200)
        server.process.terminate()
        #expect(await server.exit().status == 0)
    }

    @Test func `a database of another commit is refused with advice`() async throws {
        let environment = try await migratedDatabase()
        let db = try Database(Database.Configuration(url: try #require(environment["KITH_DATABASE_URL"])))
        try await db.write.run("UPDATE schema_migrations SET sha256 = 'other' WHERE version = 2")
        await db.close()
        for arguments in [["migrate"], ["migrate", "--status"], ["serve"], ["serve", "--migrate"]] {
            let refused = try await KithCommand(arguments, environment).run()
            #expect(refused.status == 1)
            #expect(
                refused.error == """
                    kith: the database was migrated with a different 0002_users.sql than this kith's. Until 0.1.0 no \
                    kith upgrades the database of another commit: use the kith that made it, or a new, empty \
                    database, which `kith import` can fill\n
                    """, "\(arguments)")
        }
    }

    @Test func `check prints the settings without the password`() async throws {
        let settings = [
            "KITH_DATABASE_URL": "postgresql://kith:hidden@db.example/kith",
            "KITH_FIREBASE_PROJECT": "example",
        ]
        let outcome = try await KithCommand(["serve", "--check"], settings).run()
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("KITH_DATABASE_URL = postgresql://kith:***@db.example/kith\n"))
        #expect(outcome.output.contains("KITH_MAX_FRIENDS = 1000 (default)\n"))
        #expect(!(outcome.output + outcome.error).contains("hidden"))
        let broken = try await KithCommand(
            ["serve", "--check"], ["KITH_LISTEN": "x", "KITH_LOG_LEVEL": "y"]
        ).run()
        let bare = try await KithCommand(["serve", "--check"], ["KITH_APP_SCHEME": "javascript"]).run()
        #expect(bare.status == 1)
        for wrong in ["KITH_DATABASE_URL", "KITH_AUTH_ISSUER", "KITH_AUTH_JWKS", "javascript"] {
            #expect(bare.error.contains(wrong))
        }
        #expect(broken.status == 1)
        #expect(broken.error.contains("KITH_LISTEN") && broken.error.contains("KITH_LOG_LEVEL"))
    }

    @Test(arguments: [
        ["nonsense"], ["serve", "--nonsense"], ["serve", "extra"], ["migrate", "--to"],
        ["migrate", "--to", "x"],
        ["key"], ["key", "create"], ["key", "create", "--name", "x"], ["key", "revoke"],
        ["key", "create", "--name", "x", "--scope", "root"], ["token"],
    ])
    func `wrong usage exits with 2 and prints the right usage`(arguments: [String]) async throws {
        let outcome = try await KithCommand(arguments).run()
        #expect(outcome.status == (arguments == ["key"] ? 0 : 2))
        #expect((outcome.error + outcome.output).contains(/usage/.ignoresCase()))
    }

    @Test(arguments: [["--help"], ["serve", "--help"], ["help"], ["migrate", "-h"]])
    func `help is not an error`(arguments: [String]) async throws {
        let outcome = try await KithCommand(arguments).run()
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("USAGE"))
        #expect(!outcome.output.contains("default: 9"), "a number that nobody gave")
    }

    @Test(arguments: [["serve"], ["migrate"], ["key", "list"]])
    func `without a database it fails with one line that says why`(arguments: [String]) async throws {
        let unset = try await KithCommand(arguments).run()
        #expect(unset.status == 1)
        #expect(unset.error.contains("KITH_DATABASE_URL"))
        let gone = ["KITH_DATABASE_URL": "postgresql:///none?host=/tmp/no-such-folder&password=hidden"]
        let unreachable = try await KithCommand(arguments, gone).run()
        #expect(unreachable.status == 1)
        let said = unreachable.error.split(separator: "\n").last { $0.hasPrefix("kith: ") }
        #expect(said != nil, "\(unreachable.error)")
        #expect(!unreachable.error.contains("hidden"))
    }

    @Test func `migrate lists, prints, and applies migrations to a version and to the end`() async throws {
        let environment = try await emptyDatabase()
        let status = try await KithCommand(["migrate", "--status"], environment).run()
        #expect(status.status == 1)
        #expect(status.output.contains("pending  0001_schema_migrations.sql"))
        #expect(status.error.contains("kith migrate"))
        let dry = try await KithCommand(["migrate", "--dry-run", "--to", "2"], environment).run()
        #expect(dry.status == 0)
        #expect(dry.output.contains("CREATE TABLE users") && !dry.output.contains("CREATE TABLE usernames"))
        let part = try await KithCommand(["migrate", "--to", "2"], environment).run()
        #expect(part.output.hasSuffix("applied 2\n"))
        let partly = try await KithCommand(["migrate", "--status"], environment).run()
        #expect(partly.status == 1)
        #expect(partly.output.contains("applied  0002_users.sql\npending  0003_usernames.sql\n"))
        let rest = try await KithCommand(["migrate"], environment).run()
        #expect(rest.output.contains("applying \(try #require(Migration.all.last).fileName)"))
        #expect(try await KithCommand(["migrate"], environment).run().output == "the schema is up to date\n")
        #expect(try await KithCommand(["migrate", "--status"], environment).run().status == 0)
        #expect(try await KithCommand(["migrate", "--dry-run"], environment).run().output.isEmpty)
    }

    @Test func `a key is created, listed, used and revoked`() async throws {
        let environment = try await migratedDatabase()
        func create(_ name: String, _ scope: String) async throws -> String {
            let made = try await KithCommand(
                ["key", "create", "--name", name, "--scope", scope], environment
            ).run()
            #expect(made.status == 0)
            let key = made.output.trimmingCharacters(in: .newlines)
            #expect(APIKey(key) != nil)
            return key
        }
        let (server, client) = (try await create("back end 花", "server"), try await create("app", "client"))
        let list = try await KithCommand(["key", "list"], environment).run()
        let id = try #require(APIKey(server)).id
        #expect(list.output.contains(id) && list.output.contains("back end 花"))
        let secret = try #require(server.split(separator: "_").last)
        #expect(!list.output.contains(secret))

        let kith = try await KithServer.start(environment)
        func call(_ key: String, for uid: String?) async throws -> KithServer.Answer {
            try await kith.call("POST", "/v1/signup", key: key, for: uid, body: ["username": "ann"])
        }
        #expect(try await call(server, for: "u-ann").status == 201)
        #expect(try await call(server, for: nil).status == 403)
        #expect(try await call(client, for: "u-ann").status == 403)
        #expect(try await KithCommand(["key", "revoke", id], environment).run().output == "revoked \(id)\n")
        // The server may accept a key that it knows for a moment longer.
        try await waitUntil("the key is refused") { try await call(server, for: "u-ann").status == 401 }
        #expect(try await KithCommand(["key", "revoke", id], environment).run().status == 1)
        #expect(try await KithCommand(["key", "list"], environment).run().output.contains("revoked 20"))
        kith.process.terminate()
        #expect(await kith.exit().status == 0)
    }
}
