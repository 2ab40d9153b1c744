import Foundation
import TestSupport
import Testing

@testable import AppTesting
@testable import Console
@testable import Kernel

/// The console of a `kith serve`, over the wire: what its listener lets through, and what commands do to it.
@Suite(.inTurns) struct ConsoleServerTests {
    @Test func `a browser signs in at a server, calls with its cookie, and a command signs it out`()
        async throws
    {
        let environment = [
            "KITH_DATABASE_URL": try await TestPostgres.shared.migratedDatabase(),
            "KITH_CONSOLE_URL": TestApp.console,
        ]
        let server = try await KithServer.start(environment)
        func ask(_ line: String, _ more: String = "") async throws -> String {
            let connection = try server.connect()
            let head = "\(line) HTTP/1.1\r\nHost: console.example.com\r\nConnection: close\r\n\(more)\r\n"
            await connection.say(Array(head.utf8))
            return await connection.rest()
        }
        let added = try await KithCommand(
            ["person", "add", "ann@example.com", "--role", "admin"], environment
        ).run()
        let path = added.output.replacing(TestApp.console, with: "").trimmingCharacters(in: .newlines)
        #expect(try await ask("GET \(path)").contains("Sign in as ann@example.com"))
        let own = "Sec-Fetch-Site: same-origin\r\nOrigin: null\r\nContent-Length: 0\r\n"
        #expect(try await ask("POST \(path)").hasPrefix("HTTP/1.1 403"))
        let answer = try await ask("POST \(path)", own)
        #expect(answer.hasPrefix("HTTP/1.1 303"), "\(answer)")
        let value = try #require(answer.firstMatch(of: /__Host-kith-session=([\w-]{43})/)).1
        let cookie = "Cookie: other=1; __Host-kith-session=\(value); more=2\r\n"
        #expect(try await ask("GET /account", cookie).contains("You are signed in as ann@example.com"))
        let me = try await ask("GET /v1/admin/me", cookie)
        #expect(me.hasPrefix("HTTP/1.1 200") && me.contains("person:ann@example.com"), "\(me)")
        #expect(try await ask("POST /sign-out", cookie).hasPrefix("HTTP/1.1 403"))
        #expect(try await ask("GET /v1/me", cookie).hasPrefix("HTTP/1.1 404"))
        _ = try await KithCommand(["person", "sign-out", "ann@example.com"], environment).run()
        try await waitUntil("the server knows") {
            try await ask("GET /v1/admin/me", cookie).hasPrefix("HTTP/1.1 401")
        }
        server.process.terminate()
        #expect(await server.exit().status == 0)
    }
}
