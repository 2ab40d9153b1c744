import Foundation
import Postgres
import Schema
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith
@testable import Operations

/// Errors of `kith serve` for mistakes of an operator.
@Suite(.inTurns) struct ServeCommandTests {
    private let sound = [
        "KITH_DATABASE_URL": "postgresql://kith@db.example/kith", "KITH_FIREBASE_PROJECT": "example",
    ]

    private func check(_ settings: [String: String]) async throws -> KithCommand.Outcome {
        let environment = sound.merging(settings) { _, new in new }
        return try await KithCommand(["serve", "--check"], environment).run()
    }

    @Test(arguments: [
        (["KITH_AUTH_JWKS": "/no/such/file"], "KITH_AUTH_JWKS: cannot read the file '/no/such/file'"),
        (["KITH_AUTH_JWKS": "/etc/passwd"], "KITH_AUTH_JWKS: the file '/etc/passwd' is not a JWKS"),
        (
            ["KITH_ERASURE_LOG": "/no/such/log"],
            "KITH_ERASURE_LOG: '/no/such/log' is no file that Kith can write"
        ),
        (["KITH_ERASURE_LOG": "/"], "KITH_ERASURE_LOG: '/' is no file that Kith can write"),
        (["KITH_AUTH_AUDIENCE": "ios,,web"], "KITH_AUTH_AUDIENCE: 'ios,,web' has an empty entry"),
        (["KITH_AUTH_ISSUER": "https://a.example,https://b.example"], "KITH_AUTH_UID_CLAIM is not set"),
        (["KITH_LISTN": "0.0.0.0:80"], "KITH_LISTN is not a setting: did you mean KITH_LISTEN?"),
        (["KITH_APP_SCHEME": "javascript"], "KITH_APP_SCHEME: 'javascript' is not allowed"),
        (["KITH_APP_STORE_URL": "x"], "KITH_APP_STORE_URL: 'x' is not allowed"),
        (
            ["KITH_APP_URL": "https://me:SECRET@a.example/"],
            "KITH_APP_URL: 'https://***@a.example/' is not allowed: the pages would show its user"
        ),
        (["KITH_PRIVACY_URL": "http://me@a.example"], "KITH_PRIVACY_URL: 'http://***@a.example' is not"),
        (["KITH_REPORT_URL": "https://me@a.example"], "KITH_REPORT_URL: 'https://***@a.example' is not"),
        (["KITH_APP_STORE_ID": "x"], "KITH_APP_STORE_ID: 'x' is not allowed"),
        (["KITH_APP_ICON": "/no/such/file"], "KITH_APP_ICON: cannot read '/no/such/file'"),
        (["KITH_APP_ICON": "/etc/passwd"], "KITH_APP_ICON: '/etc/passwd' is not a PNG that can be read"),
        (["KITH_CARD_BACKGROUND": "/no/such/file"], "KITH_CARD_BACKGROUND: cannot read '/no/such/file'"),
        (
            ["KITH_CARD_BACKGROUND": "/etc/passwd"],
            "KITH_CARD_BACKGROUND: '/etc/passwd' is not allowed: it must be"
        ),
        (["KITH_TEMPLATES": "/no/such/folder"], "KITH_TEMPLATES: "),
        (
            ["KITH_DATABASE_URL": "postgresql://h/k?sslmdoe=x"],
            "cannot open the database of KITH_DATABASE_URL"
        ),
        (
            ["KITH_DATABASE_URL": "postgresql://h/k?sslmode=bogus"],
            "KITH_DATABASE_URL: sslmode must be one of"
        ),
        (
            ["KITH_DATABASE_URL": "postgresql://a,b/k?target_session_attrs=rw"],
            "KITH_DATABASE_URL: target_session_attrs must be one of"
        ),
        (["KITH_LISTEN": "http://a:80"], "KITH_LISTEN: 'http://a:80' is not allowed"),
        (["KITH_LISTEN": "foo bar:80"], "KITH_LISTEN: 'foo bar:80' is not allowed"),
        (["KITH_LINK_URL": "https://example.org:99999"], "KITH_LINK_URL: 'https://example.org:99999' is not"),
        (["KITH_RATE_LIMITS": "resolve=1/m,resolve=2/m"], "KITH_RATE_LIMITS: resolve is given twice"),
        (["KITH_OPS_LISTEN": "127.0.0.1:8080"], "KITH_OPS_LISTEN: '127.0.0.1:8080' is not allowed"),
    ])
    func `check refuses settings that cannot work`(settings: [String: String], message: String) async throws {
        let outcome = try await check(settings)
        #expect(outcome.status == 1)
        #expect(outcome.error.contains("kith: \(message)"), "\(outcome.error)")
        #expect(outcome.error.split(separator: "\n").count == 1, "\(outcome.error)")
    }

    @Test func `kith says its version, its commit and its newest migration`() async throws {
        let said = try await KithCommand(["--version"]).run()
        #expect(said.status == 0)
        #expect(said.output == BuildInfo.line + "\n")
        let newest = try #require(Migration.all.last)
        #expect(said.output.hasPrefix("kith \(BuildInfo.version), commit ") && !BuildInfo.commit.isEmpty)
        #expect(said.output.hasSuffix(", newest migration \(newest.fileName.dropLast(4))\n"))
    }

    @Test func `check names every mistake at once, and not what follows from another`() async throws {
        let settings = [
            "KITH_LOG_LEVEL": "loud", "KITH_TEMPLATES": "/nope", "KITH_APP_ICON": "/etc/passwd",
            "KITH_APP_STORE_ID": "x", "KITH_PRIVACY_URL": "x", "KITH_LISTN": "x",
        ]
        let outcome = try await KithCommand(["serve", "--check"], settings).run()
        let expected = [
            "KITH_LISTN is not a setting", "KITH_LOG_LEVEL: 'loud'", "KITH_DATABASE_URL is not set",
            "KITH_AUTH_ISSUER is not set", "KITH_AUTH_AUDIENCE is not set", "KITH_AUTH_JWKS is not set",
            "KITH_APP_STORE_ID: 'x'", "KITH_PRIVACY_URL: 'x'", "KITH_APP_ICON: '/etc/passwd'",
            "KITH_TEMPLATES: /nope: cannot be read",
        ]
        let lines = outcome.error.split(separator: "\n")
        #expect(lines.count == expected.count, "\(outcome.error)")
        for (line, mistake) in zip(lines, expected) { #expect(line.hasPrefix("kith: \(mistake)"), "\(line)") }
        let unread = try await check(["KITH_DATABASE_URL": "", "KITH_DATABASE_URL_FILE": "/nope"])
        #expect(unread.error == "kith: KITH_DATABASE_URL_FILE: cannot read '/nope'\n")
    }

    @Test func `check prints the issuer, the audience and the keys that are in force`() async throws {
        let outcome = try await check([:])
        for line in [
            "KITH_AUTH_ISSUER = https://securetoken.google.com/example (default)",
            "KITH_AUTH_AUDIENCE = example (default)", "KITH_AUTH_AUDIENCE_CLAIM = aud (default)",
            "KITH_AUTH_UID_CLAIM = sub (default)",
            "KITH_AUTH_JWKS = https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com "
                + "(default)",
        ] {
            #expect(outcome.output.contains("\n\(line)\n"), "\(outcome.output)")
        }
        let given = try await check(["KITH_AUTH_AUDIENCE": "ios,web", "KITH_FIREBASE_PROJECT": "p"])
        #expect(given.output.contains("\nKITH_AUTH_AUDIENCE = ios,web\n"))
    }

    @Test func `check accepts settings that work`() async throws {
        let outcome = try await check(["KITH_SERVICE_HOST": "10.0.0.1"])
        #expect(outcome.status == 0, "\(outcome.error)")
    }

    @Test func `it names every mistake of pages, keys and files, and does not serve`() async throws {
        var settings = [
            "KITH_DATABASE_URL": try await TestPostgres.shared.migratedDatabase(),
            "KITH_LISTEN": "127.0.0.1:0", "KITH_OPS_LISTEN": "127.0.0.1:0", "KITH_AUTH_JWKS": "/no/such/file",
        ]
        let keys = "kith: KITH_AUTH_JWKS: cannot read the file '/no/such/file'\n"
        let one = try await KithCommand(["serve"], sound.merging(settings) { _, new in new }).run()
        #expect(one.status == 1 && one.error.hasSuffix(keys), "\(one.error)")
        settings["KITH_APP_ICON"] = "/no/such/icon"
        settings["KITH_TEMPLATES"] = "/no/such/folder"
        let all = try await KithCommand(["serve"], sound.merging(settings) { _, new in new }).run()
        #expect(all.status == 1 && all.error.contains(keys), "\(all.error)")
        #expect(all.error.contains("kith: KITH_APP_ICON: cannot read '/no/such/icon'"))
        #expect(all.error.contains("kith: KITH_TEMPLATES: /no/such/folder: cannot be read"))
    }

    @Test
    func `a time zone that PostgreSQL does not know is an error, and so is another than numbers are of`()
        async throws
    {
        let url = try await TestPostgres.shared.migratedDatabase()
        let db = try Database(Database.Configuration(url: url))
        func serve(_ zone: String) async throws -> String {
            let settings = [
                "KITH_DATABASE_URL": url, "KITH_LISTEN": "127.0.0.1:0", "KITH_OPS_LISTEN": "127.0.0.1:0",
                "KITH_TIME_ZONE": zone,
                // A server that would start ends at this mistake.
                "KITH_AUTH_JWKS": "/no/such/file",
            ]
            return try await KithCommand(["serve"], sound.merging(settings) { _, new in new }).run().error
        }
        let unknown = try await serve("US/Pacific-New")
        #expect(
            unknown.contains("kith: KITH_TIME_ZONE: PostgreSQL does not know US/Pacific-New"), "\(unknown)")
        for _ in 0..<2 { #expect(try await serve("Asia/Tokyo").contains("KITH_AUTH_JWKS")) }
        let other = try await serve("UTC")
        #expect(
            other.contains("KITH_TIME_ZONE is UTC, and numbers are of the days of Asia/Tokyo"), "\(other)")
        let numbers = try await KithCommand(["numbers", "people.sign_ups"], ["KITH_DATABASE_URL": url]).run()
        #expect(numbers.status == 0 && numbers.output.contains(", Asia/Tokyo, "), "\(numbers)")
        let change = try #require(other.firstMatch(of: /run: (UPDATE .*)/)).output.1
        try await db.write.run(Statement(text: String(change)))
        #expect(try await serve("UTC").contains("KITH_AUTH_JWKS"))
        await db.close()
    }

    @Test func `an unknown host is an error that names the setting`() async throws {
        // A label of 64 characters is too long, so no resolver is asked for it.
        let address = String(repeating: "a", count: 64) + ":80"
        let settings = [
            "KITH_DATABASE_URL": try await TestPostgres.shared.migratedDatabase(), "KITH_LISTEN": address,
            "KITH_OPS_LISTEN": "127.0.0.1:0",
        ]
        let outcome = try await KithCommand(["serve"], sound.merging(settings) { _, new in new }).run()
        #expect(outcome.status == 1)
        #expect(outcome.error.contains("kith: cannot listen on KITH_LISTEN, \(address): unknown host"))
    }

    @Test(arguments: [
        "kith:hunter2@db/kith", "postgresql://kith:p@ss:hunter2@h/kith", "host=h password=my hunter2",
    ])
    func `no command shows the password in a URL that it cannot read`(url: String) async throws {
        for arguments in [["serve", "--check"], ["serve"], ["migrate"]] {
            let outcome = try await KithCommand(arguments, ["KITH_DATABASE_URL": url]).run()
            #expect(outcome.status == 1)
            #expect(outcome.error.contains("KITH_DATABASE_URL"))
            #expect(!(outcome.error + outcome.output).contains("hunter2"))
        }
    }

    @Test func `signals to reopen logs or reload settings do not end it, and an error names a taken port`()
        async throws
    {
        let database = try await TestPostgres.shared.migratedDatabase()
        let server = try await KithServer.start(["KITH_DATABASE_URL": database, "KITH_LISTN": "x"])
        for signal in [SIGHUP, SIGUSR1, SIGUSR2] {
            kill(server.process.id, signal)
            #expect(try await server.ops("/readyz").status == 200)
        }
        let taken = String(server.origin.dropFirst("http://".count))
        let second = try await KithCommand(
            ["serve"],
            sound.merging([
                "KITH_DATABASE_URL": database, "KITH_LISTEN": taken, "KITH_OPS_LISTEN": "127.0.0.1:0",
                "KITH_APP_NAME": "Sample", "KITH_APP_URL": "https://sample.example", "KITH_APP_STORE_ID": "1",
                "KITH_IOS_TEAM_ID": "ABCDE12345", "KITH_IOS_BUNDLE_ID": "com.sample",
            ]) { _, new in new }
        ).run()
        #expect(second.status == 1)
        #expect(second.error.contains("cannot listen on KITH_LISTEN, \(taken): Address already in use"))
        // And complains of nothing else, as of services that it stops.
        #expect(!second.error.contains("Cancel") && !second.error.contains("warning"), "\(second.error)")
        server.process.terminate()
        let end = await server.exit()
        #expect(end.status == 0)
        #expect(end.error.contains("unknown setting") && end.error.contains("KITH_LISTEN"))
    }
}
