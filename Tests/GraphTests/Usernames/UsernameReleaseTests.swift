import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Graph
@testable import Kith

/// `kith username release` of names that nobody ever had.
@Suite(.inTurns) struct UsernameReleaseTests {
    @Test func `a name that nobody may choose is not reported as free`() async throws {
        let database = try await TestPostgres.shared.migratedDatabase()
        func release(_ name: String) async throws -> KithCommand.Outcome {
            try await KithCommand(
                ["username", "release", name],
                ["KITH_DATABASE_URL": database, "KITH_USERNAME_RESERVED": "acme*"]
            ).run()
        }
        for name in ["admin", "kith", "acme_1"] {
            let outcome = try await release(name)
            #expect(outcome.status == 1 && outcome.error.contains("\(name) is reserved"), "\(outcome)")
        }
        for name in ["", "a b", String(repeating: "x", count: 300), "ab", "花"] {
            let outcome = try await release(name)
            #expect(outcome.status == 2 && outcome.error.contains("cannot be a username"), "\(outcome)")
        }
        #expect(try await release("nobody_yet").status == 0)
    }

    @Test func `an imported name can be released, whatever its form`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            try await app.db.write.run(
                """
                INSERT INTO usernames (name_key, user_id, state, held_until)
                VALUES ('a b', user_id('u-ann'), 'held', now())
                """)
            let store = UsernameReleaseStore(app.db, app.app.config)
            #expect(try await store.release("A b") == .released)
            #expect(try await store.release("a b") == .free)
        }
    }
}
