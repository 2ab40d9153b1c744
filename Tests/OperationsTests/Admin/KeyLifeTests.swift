import Foundation
import HTTPTypes
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Web

/// When API keys end, and when they were used.
@Suite(.inTurns) struct KeyLifeTests {
    @Test func `an expired key is refused like a revoked one`() async throws {
        try await TestApp.run { app in
            let store = APIKeyStore(db: app.db)
            let key = try await store.create(name: "short", scope: .admin, expiresIn: 1)
            let headers: HTTPFields = [.authorization: "Bearer \(key)"]
            #expect(try await app.get("/v1/admin/audit", headers: headers).status == 200)
            try await app.db.write.run("UPDATE api_keys SET expires_at = now()")
            try await waitUntil("the cache forgets the key") {
                try await app.get("/v1/admin/audit", headers: headers).code == "token_invalid"
            }
            let listed = try #require(try await store.list().first)
            #expect(listed.expiresAt != nil && listed.revokedAt == nil)
        }
    }

    @Test func `the last use of a key is written, at most once an hour`() async throws {
        let now = Mutex(Date())
        var world = World.live
        world.now = { now.withLock { $0 } }
        try await TestApp.run(world: world) { app in
            let store = APIKeyStore(db: app.db)
            let headers = try await app.keyed()
            #expect(try await store.list().first?.usedAt == nil)
            #expect(try await app.get("/v1/admin/audit", headers: headers).status == 200)
            try await waitUntil("the use is noted") { try await store.list().first?.usedAt != nil }
            let first = try await store.list().first?.usedAt
            now.withLock { $0 += 7200 }
            #expect(try await app.get("/v1/admin/audit", headers: headers).status == 200)
            // The database's own clock says that it was used within the hour.
            try await store.noteUse(of: try #require(try await store.list().first?.id))
            #expect(try await store.list().first?.usedAt == first)
            try await app.db.write.run("UPDATE api_keys SET used_at = now() - interval '2 hours'")
            try await store.noteUse(of: try #require(try await store.list().first?.id))
            let later = try #require(try await store.list().first?.usedAt)
            #expect(try later >= #require(first))
        }
    }

    @Test func `the command makes keys that expire, and lists when they end and were used`() async throws {
        let environment = ["KITH_DATABASE_URL": try await TestPostgres.shared.migratedDatabase()]
        func run(_ arguments: String...) async throws -> KithCommand.Outcome {
            try await KithCommand(["key"] + arguments, environment).run()
        }
        #expect(
            try await run("create", "--name", "week", "--scope", "server", "--expires-in", "7").status == 0)
        #expect(try await run("create", "--name", "ever", "--scope", "server").status == 0)
        let lines = try await run("list").output.split(separator: "\n")
        #expect(
            lines.count == 2 && lines[0].contains("  expires 20") && lines[0].hasSuffix("  never used  week"),
            "\(lines)")
        #expect(lines.last?.contains("  in force  never used  ever") == true, "\(lines)")
        #expect(
            try await run("create", "--name", "shop", "--scope", "server", "--no-users").status == 0)
        #expect(try await run("create", "--name", "desk", "--scope", "support").status == 0)
        let listed = try await run("list").output.split(separator: "\n")
        #expect(listed.dropFirst(2).first?.contains("  server (no users)  ") == true, "\(listed)")
        #expect(listed.last?.contains("  support  ") == true, "\(listed)")
        for wrong in [
            ["--scope", "root"], ["--scope", "Growth"], ["--scope", ""], ["--scope", "growth", "--no-users"],
            ["--scope", "admin", "--no-users"], [],
        ] {
            let outcome = try await KithCommand(["key", "create", "--name", "x"] + wrong, environment).run()
            #expect(outcome.status == 2 && outcome.output.isEmpty, "\(wrong): \(outcome)")
        }
        #expect(try await run("list").output.split(separator: "\n").count == 4)
        for days in ["0", "-1", "x", "100000"] {
            #expect(
                try await run("create", "--name", "x", "--scope", "server", "--expires-in", days).status == 2,
                "\(days)")
        }
    }
}
