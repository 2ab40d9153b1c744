import Postgres
import TestSupport

@testable import Kernel
@testable import Operations

extension TestPostgres {
    /// Citus changes no row by a function that depends on the session's time zone, as subtraction of an
    /// interval does.
    private static let earlier = """
        CREATE SCHEMA tests;
        CREATE FUNCTION tests.earlier(at timestamptz, hours float8) RETURNS timestamptz IMMUTABLE LANGUAGE sql
        AS $$ SELECT at - hours * interval '1 hour' $$
        """

    /// The URL of a new database with the current schema.
    func migratedDatabase() async throws -> String {
        try await database(like: "kith_template", prepare: Self.migrate)
    }

    /// The URL of a new database with the current schema, and what a script puts in, which runs once.
    /// - Parameter template: a name of its own for each script.
    func database(like template: String, filledBy script: String) async throws -> String {
        try await database(like: template) { url in
            try await Self.migrate(url)
            let template = try Database(Database.Configuration(url: url))
            try await template.withConnection { try await $0.script(script) }
            await template.close()
        }
    }

    private static func migrate(_ url: String) async throws {
        let template = try Database(Database.Configuration(url: url))
        _ = try await Migrator(template).migrate()
        try await template.withConnection { try await $0.script(earlier) }
        if isOnCitus {
            _ = try await Migrator(template).distribute()
            try await template.write.run(
                "SELECT create_distributed_function('tests.earlier(timestamptz, float8)')")
        }
        await template.close()
    }
}
