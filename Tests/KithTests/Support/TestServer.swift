import EmbeddedPostgres
import Foundation
import Kith
import Postgres

/// The PostgreSQL of this test process, with one migrated template; each test gets a copy of its own.
actor TestServer {
    static let shared = TestServer()

    private var starting: Task<EmbeddedPostgres, any Error>?

    /// A new database with the current schema.
    func database() async throws -> String {
        let postgres = try await postgres()
        let name = Self.newName()
        try await Self.run("CREATE DATABASE \(name) TEMPLATE kith_template STRATEGY file_copy", on: postgres)
        return postgres.url(database: name)
    }

    /// A new database with nothing in it.
    func emptyDatabase() async throws -> String {
        let postgres = try await postgres()
        let name = Self.newName()
        try await Self.run("CREATE DATABASE \(name)", on: postgres)
        return postgres.url(database: name)
    }

    private static func newName() -> String {
        "kith_test_" + UUID().uuidString.lowercased().replacing("-", with: "")
    }

    private func postgres() async throws -> EmbeddedPostgres {
        if let starting { return try await starting.value }
        let task = Task {
            let postgres = try await EmbeddedPostgres.start()
            try await Self.run("CREATE DATABASE kith_template", on: postgres)
            let template = try Database(Database.Configuration(url: postgres.url(database: "kith_template")))
            _ = try await Migrator(template).migrate()
            await template.close()
            return postgres
        }
        starting = task
        return try await task.value
    }

    private static func run(_ sql: String, on postgres: EmbeddedPostgres) async throws {
        let admin = try Database(Database.Configuration(url: postgres.url()))
        try await admin.withConnection { try await $0.script(sql) }
        await admin.close()
    }
}
