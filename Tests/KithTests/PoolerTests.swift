import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Kith

/// Kith behind a PgBouncer that shares connections by transaction.
@Suite(.inTurns, .enabled(if: TestPooler.isInstalled)) struct PoolerTests {
    private static let shared: [Database.Pooler] =
        TestPooler.keepsPrepared ? [.transaction, .prepared] : [.transaction]

    @Test(arguments: shared) func `every call works, also many at once`(pooler: Database.Pooler) async throws
    {
        let bouncer = try await TestPooler(
            TestPostgres.shared.migratedDatabase(), mode: "transaction", size: 5, prepared: 100)
        defer { bouncer.end() }
        try await TestApp.run(
            configure: { $0.database.url = bouncer.url }, limits: { $0.pooler = pooler }
        ) { app in
            try await waitUntil("PgBouncer answers") { (try? await app.db.ping()) != nil }
            try await app.signUp("ann")
            try await withThrowingDiscardingTaskGroup { group in
                for number in 0..<40 {
                    group.addTask {
                        let uid = try await app.signUp("bob\(number)", invite: TestApp.link("ann", "u-ann"))
                        #expect(try await app.get("/v1/me", as: uid)["counts.friends"] == "1")
                        #expect(try await app.get("/users/ann?invitedBy=u-ann").status == 200)
                        let taken = try await app.rename(uid, to: "ann")
                        #expect(taken.code == "username_taken")
                    }
                }
            }
            #expect(try await app.get("/v1/me", as: "u-ann")["counts.friends"] == "40")
            for call in BadInputTests.calls where !call.isForKeys {
                let answer = try await app.call(call.method, call.path, as: "u-ann", body: call.body)
                #expect(answer.status < 500, "\(call.method) \(call.path): \(answer.text)")
            }
            try await app.verify()
        }
    }

    @Test func `kith serve refuses what it cannot work with, and names the setting to change`() async throws {
        let url = try await TestPostgres.shared.migratedDatabase()
        let bouncer = try TestPooler(url, mode: "transaction")
        defer { bouncer.end() }
        let probe = try Database(Database.Configuration(url: bouncer.url))
        try await waitUntil("PgBouncer answers") { (try? await probe.withConnection { $0 }) != nil }
        await probe.close()
        for (pooler, words) in [
            ("none", ["set KITH_DATABASE_POOLER=transaction", "pool_mode = session"]),
            ("prepared", ["max_prepared_statements", "KITH_DATABASE_POOLER=transaction"]),
        ] {
            let settings = ["KITH_DATABASE_URL": bouncer.url, "KITH_DATABASE_POOLER": pooler]
            let outcome = try await KithCommand(["serve"], settings).run()
            #expect(outcome.status == 1)
            for word in words { #expect(outcome.error.contains(word), "\(outcome.error)") }
        }
        let settings = ["KITH_DATABASE_URL": bouncer.url, "KITH_DATABASE_POOLER": "transaction"]
        for command in [["migrate"], ["import", "users", "-"], ["serve", "--migrate"]] {
            let outcome = try await KithCommand(command, settings).run()
            #expect(outcome.status == 1 && outcome.error.contains("PostgreSQL itself"), "\(outcome)")
        }
        #expect(try await KithCommand(["key", "list"], settings).run().status == 0)
        #expect(try await KithCommand(["verify"], settings).run().status == 0)
    }
}
