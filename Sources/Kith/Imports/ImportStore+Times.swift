import Postgres

/// The times of a file that is imported.
extension ImportStore {
    static let time = "timestamptz"

    /// Times are read once they are there, since some files have numbers.
    static func type(of name: String, _ columns: ImportColumns, _ file: ImportFile) -> String {
        let type = columns.types[name] ?? "text"
        return type == time && file.header.columns.contains(name) ? "text" : type
    }

    /// Reads times as PostgreSQL does, or as seconds, milliseconds or microseconds since 1970, as `kith import fdl` does.
    static nonisolated(nonsending) func readTimes(_ names: [String], of staged: StagedImport) async throws {
        let session = staged.session
        guard !names.isEmpty else { return }
        let changes = names.map { name in
            """
            ALTER \(name) TYPE \(time) USING
                CASE WHEN \(name) ~ '^([0-9]{9,13}|[0-9]{16})$' THEN to_timestamp(
                         \(name)::float8 / CASE WHEN length(\(name)) > 14 THEN 1e6 WHEN length(\(name)) > 11 THEN 1e3 ELSE 1 END)
                     ELSE \(name)::\(time) END
            """
        }
        try await session.script("SAVEPOINT times")
        do {
            try await session.script("ALTER TABLE import_file \(changes.joined(separator: ", "))")
        } catch let error as PostgresError {
            guard case .server(let refusal) = error, refusal.sqlState.hasPrefix("22") else { throw error }
            try await session.script("ROLLBACK TO times")
            throw ImportError.malformed(
                line: try await line(of: names, in: staged, with: refusal.message), refusal.message)
        }
    }

    /// The first line with the value that the server quotes; nil if it is in none.
    private static nonisolated(nonsending) func line(
        of names: [String], in staged: StagedImport, with message: String
    ) async throws -> Int? {
        guard let value = message.split(separator: "\"", omittingEmptySubsequences: false).dropFirst().first
        else { return nil }
        let first = try await staged.session.first(
            """
            SELECT min(record) FROM import_file i, jsonb_each_text(to_jsonb(i)) AS field
            WHERE field.key = ANY(\(names)) AND field.value = \(String(value))
            """
        ) { try $0.next(as: Int?.self) }
        guard let record = first ?? nil else { return nil }
        return try await staged.lines([record]).first
    }
}
