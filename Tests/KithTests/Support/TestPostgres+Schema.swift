import Kith
import Postgres
import TestSupport

extension TestPostgres {
    /// The URL of a new database with the current schema.
    func migratedDatabase() async throws -> String {
        try await database(like: "kith_template") { url in
            let template = try Database(Database.Configuration(url: url))
            _ = try await Migrator(template).migrate()
            if TestPostgres.isOnCitus { _ = try await Migrator(template).distribute() }
            await template.close()
        }
    }
}
