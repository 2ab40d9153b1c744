import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Kith

/// The plans that sessions keep from when the tables were empty.
extension PlanTests {
    @Test
    func `in a new database statements look rows up, as they must once it has grown, and are planned once`()
        async throws
    {
        try await withOneConnectionALane { app in
            try await app.db.withConnection { try await $0.script("ANALYZE") }
            try await app.signUp("ann")
            for name in ["bob", "cat", "dan"] {
                try await app.signUp(name, invite: TestApp.link("ann", "u-ann"))
                for path in [
                    "/users/ann?invitedBy=u-ann", "/users/ann", "/users/\(name)/qr.svg?invitedBy=u-\(name)",
                ] {
                    #expect(try await app.get(path).status == 200)
                }
                for path in ["/v1/me", "/v1/friends", "/v1/suggestions", "/v1/me/export"] {
                    #expect(try await app.get(path, as: "u-\(name)").status == 200, "\(path)")
                }
            }
            for lane in Self.lanes(app.db) {
                let statements = try await prepared(lane).filter {
                    $0.sql.contains(/SELECT|INSERT|UPDATE|DELETE/) && !$0.sql.contains(Self.readsAll)
                }
                #expect(statements.count >= 1, "\(lane)")
                for statement in statements {
                    let kinds = try await plan(of: statement, lane).map { $0["Node Type"] as? String }
                    #expect(!kinds.contains("Seq Scan"), "\(statement.sql)")
                }
                let planned = try await lane.query(
                    "SELECT statement FROM pg_prepared_statements WHERE custom_plans > 0"
                ) { try $0.next(as: String.self) }
                #expect(planned.isEmpty, "\(planned)")
            }
        }
    }

    /// - Parameter url: the database; empty for a new one.
    func withOneConnectionALane(
        on url: String = "", _ body: @Sendable (TestApp) async throws -> Void
    ) async throws {
        try await TestApp.run(
            configure: {
                TestApp.withLinks(&$0)
                $0.database.url = url
            },
            limits: {
                for lane in [\Database.Configuration.landings, \.read, \.lists, \.walks, \.bulk, \.write] {
                    $0[keyPath: lane].connections = 1
                }
                $0.write.deadline = .seconds(120)
            }
        ) { try await body($0) }
    }
}
