import Kernel
import Postgres

/// The times of a file that is imported.
extension StagedImport {
    static let time = "timestamptz"

    /// Returns the type of a column in the staging table. Times are staged as text and read later, since some
    /// files have numbers.
    static func type(of name: String, _ columns: ImportColumns, _ file: ImportFile) -> String {
        let type = columns.types[name] ?? "text"
        return type == time && file.header.columns.contains(name) ? "text" : type
    }

    /// Reads times as seconds, milliseconds or microseconds since 1970, as `kith import fdl` does, or in the
    /// form of ISO 8601. A text that is not a time becomes `infinity`, which each import refuses with its
    /// line.
    static nonisolated(nonsending) func readTimes(_ names: [String], of staged: StagedImport) async throws {
        guard !names.isEmpty else { return }
        let changes = names.map { "ALTER \($0) TYPE \(time) USING \(read($0))" }
        try await staged.session.script("ALTER TABLE import_file \(changes.joined(separator: ", "))")
    }

    /// Returns SQL that reads a time. PostgreSQL itself would stop at the first text that is not a time, and
    /// accept words such as `now`.
    private static func read(_ text: String) -> String {
        """
        CASE WHEN coalesce(\(text), '') = '' THEN NULL
             WHEN \(text) ~ '^([0-9]{9,13}|[0-9]{16})$' THEN to_timestamp(
                 \(text)::float8 / CASE WHEN length(\(text)) > 14 THEN 1e6 WHEN length(\(text)) > 11 THEN 1e3 ELSE 1 END)
             WHEN CASE WHEN \(text) ~ '\(form)' THEN substr(\(text), 9, 2)::int <= extract(day FROM make_date(
                      left(\(text), 4)::int, substr(\(text), 6, 2)::int, 1) + interval '1 month - 1 day') END
                 THEN \(text)::\(time)
             ELSE 'infinity' END
        """
    }

    /// A pattern of a day, or a time with or without its zone. Not every month has the day.
    private static let form =
        "^[12][0-9]{3}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
        + "(Z|[T ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?"
        + "( ?(Z|UTC|[+-](0[0-9]|1[0-4])(:?[0-5][0-9])?))?)?$"
}
