import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Web

/// What the log and operators are told of the database's errors.
@Suite(.inTurns) struct PostgresErrorTests {
    @Test(arguments: [
        (
            "CREATE TEMP TABLE t (name text CONSTRAINT named CHECK (name <> 'secret')); INSERT INTO t VALUES ('secret')",
            "database error 23514: new row for relation \"t\" violates check constraint \"named\""
        ),
        ("SELECT 'secret'::integer", "database error 22P02: invalid input syntax for type integer: \"…\""),
        ("SELECT '{\"secret\":\"'::json", "database error 22P02: invalid input syntax for type json"),
    ])
    func `an error in the log tells no row and no value`(sql: String, told: String) async throws {
        let db = try Database(Database.Configuration(url: try await TestPostgres.shared.migratedDatabase()))
        try await db.withConnection { connection in
            try await connection.script("SET log_parameter_max_length_on_error = -1")
            let error = try await #require(throws: PostgresError.self) { try await connection.script(sql) }
            #expect(!error.explanation.contains("secret"), "\(error.explanation)")
            #expect(error.explanation.hasPrefix(told), "\(error.explanation)")
            let parameter = "secret"
            let guarded = try await #require(throws: PostgresError.self) {
                try await connection.run("SELECT require(\(parameter) = '', 'word')")
            }
            #expect(!guarded.explanation.contains("secret"), "\(guarded.explanation)")
        }
        await db.close()
    }
}
