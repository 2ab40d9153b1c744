import Postgres
import TestSupport
import Testing

/// A new, empty database for a test.
enum Server {
    /// A `Database` on a new, empty database, closed afterwards.
    static func withDatabase<T>(
        _ adjust: (inout Database.Configuration) -> Void = { _ in },
        _ body: (Database) async throws -> T
    ) async throws -> T {
        try await withURL { url in
            var configuration = Database.Configuration(url: url)
            adjust(&configuration)
            let database = try Database(configuration)
            do {
                let value = try await body(database)
                await database.close()
                return value
            } catch {
                await database.close()
                throw error
            }
        }
    }

    static func withURL<T>(_ body: (String) async throws -> T) async throws -> T {
        try await body(TestPostgres.shared.database())
    }
}

/// Returns the database error that `body` throws; records an issue if it throws none.
func failure<T>(
    at location: SourceLocation = #_sourceLocation, _ body: () async throws -> T
) async -> PostgresError? {
    do {
        _ = try await body()
        Issue.record("no error", sourceLocation: location)
    } catch let error as PostgresError {
        return error
    } catch {
        Issue.record("\(error)", sourceLocation: location)
    }
    return nil
}

func unexpected(_ error: PostgresError?, at location: SourceLocation = #_sourceLocation) {
    Issue.record("unexpected: \(String(reflecting: error))", sourceLocation: location)
}
