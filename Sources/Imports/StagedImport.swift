import Foundation
import Kernel
package import Postgres

/// The lines of a file in the temporary table `import_file`, numbered from 1 by `record`.
package struct StagedImport {
    package let session: Session
    package let progress: @Sendable (ImportProgress) -> Void
    /// How many lines there are, without the header.
    package let records: Int
    /// The number of header lines: 1 or 0.
    private let headers: Int
    /// Whether a field contains a line break, so that lines and records have different numbers.
    private let hasLongRecords: Bool

    nonisolated(nonsending) init(
        _ columns: ImportColumns, _ session: Session,
        _ progress: @escaping @Sendable (ImportProgress) -> Void,
        from next: nonisolated(nonsending) () async throws -> [UInt8]?
    ) async throws {
        self.session = session
        self.progress = progress
        var file = try await ImportFile(columns, from: next)
        headers = file.header.isRow ? 0 : 1
        try await session.script(
            """
            CREATE TEMP TABLE import_file (
                record bigint GENERATED ALWAYS AS IDENTITY (CACHE 1000),
                \(columns.all.map { "\($0) \(StagedImport.type(of: $0, columns, file))" }.joined(separator: ", "))
            ) ON COMMIT DROP
            """)
        let names = file.header.columns.joined(separator: ", ")
        var bytes = 0
        do {
            records = try await session.copy(
                "COPY import_file (\(names)) FROM STDIN (FORMAT csv, HEADER \(headers == 1), ENCODING 'UTF8')"
            ) {
                let chunk = try await file.next(next)
                bytes += chunk?.count ?? 0
                progress(.reading(bytes: bytes))
                return chunk
            }
        } catch let error as PostgresError {
            throw ImportError(malformed: error) ?? error
        }
        hasLongRecords = file.lines != records + headers
        try await StagedImport.readTimes(
            file.header.columns.filter { columns.types[$0] == StagedImport.time }, of: self)
        progress(.working("matching", rows: records))
        try await session.script("ANALYZE import_file")
    }

    /// Stops others from writing to the tables until the import is over. They may still read.
    // Other writers lock several of these tables in other orders. So this never waits long while it holds
    // only some of them: it releases them and tries again.
    package func lock(_ tables: String) async throws {
        for _ in 0..<600 {
            do {
                return try await session.script(
                    """
                    SAVEPOINT locking;
                    SET LOCAL lock_timeout = '300ms';
                    SELECT pg_advisory_xact_lock(\(UserStore.importLock));
                    LOCK TABLE \(tables) IN SHARE ROW EXCLUSIVE MODE;
                    SET LOCAL lock_timeout = 0;
                    RELEASE locking
                    """)
            } catch let error as PostgresError where ["55P03", "40P01"].contains(error.sqlState) {
                try await session.script("ROLLBACK TO locking; RELEASE locking")
                try await Task.sleep(for: .milliseconds(Int.random(in: 20...200)))
            }
        }
        throw ImportError.busy
    }

    /// Runs a query for reasons, counts and first records, and returns its rows as findings.
    package func findings(_ query: Statement) async throws -> [ImportReport.Finding] {
        let rows = try await session.query(query) {
            try (
                reason: $0.next(as: String.self), count: $0.next(as: Int.self),
                records: $0.next(as: [Int].self)
            )
        }
        var findings: [ImportReport.Finding] = []
        for row in rows {
            guard let reason = ImportReport.Reason(rawValue: row.reason) else { continue }
            findings.append(.init(reason, row.count, lines: try await lines(row.records)))
        }
        return findings
    }

    /// Returns the verdicts in a table of judged lines as findings.
    package func findings(in table: Statement) async throws -> [ImportReport.Finding] {
        try await findings(
            """
            SELECT verdict, count(*), (array_agg(record ORDER BY record))[1:5]
            FROM \(table) WHERE verdict IS NOT NULL GROUP BY verdict
            """)
    }

    /// A line, with its fields in the order of the columns.
    package struct Line: Sendable {
        package let number: Int
        package let fields: [String?]
    }

    /// Reads the lines in their order, 2,000 at a time.
    /// - Parameter most: how many characters of a field are read.
    package nonisolated(nonsending) func forEachBatch(
        of columns: ImportColumns, most: Int,
        _ body: nonisolated(nonsending) ([Line]) async throws -> Void
    ) async throws {
        let fields = columns.all.map { "left(\($0), \(most))" }.joined(separator: ", ")
        try await session.script(
            """
            CREATE INDEX ON import_file (record);
            DECLARE import_lines NO SCROLL CURSOR FOR
            SELECT \(hasLongRecords ? Self.breaks.sql : "0::bigint"), \(fields) FROM import_file ORDER BY record
            """)
        var next = headers + 1
        while true {
            let lines = try await session.query("FETCH 2000 FROM import_lines") { row in
                let (number, breaks): (Int, Int) = try (next, row.next())
                next += 1 + breaks
                return Line(number: number, fields: try columns.all.map { _ in try row.next() })
            }
            if lines.isEmpty { return }
            try await body(lines)
        }
    }

    /// Returns the numbers of the lines on which the records begin.
    func lines(_ records: [Int]) async throws -> [Int] {
        guard hasLongRecords, let last = records.max() else { return records.map { $0 + headers } }
        let long = try await session.query(
            "SELECT record, \(Self.breaks) FROM import_file WHERE record < \(last) AND \(Self.breaks) > 0"
        ) { try (record: $0.next(as: Int.self), breaks: $0.next(as: Int.self)) }
        return records.map { record in
            record + headers + long.reduce(0) { $0 + ($1.record < record ? $1.breaks : 0) }
        }
    }

    /// SQL for how many line breaks are within a record.
    private static let breaks: Statement =
        "(length(import_file::text) - length(replace(import_file::text, chr(10), '')))::bigint"
}

extension ImportError {
    /// The server's error about a file that is not CSV with these columns. Nil for other errors.
    init?(malformed error: PostgresError) {
        guard case .server(let refusal) = error, refusal.sqlState.hasPrefix("22") else { return nil }
        // The context is `COPY import_file, line 17, column uid: "x"`, in the server's language.
        let digits = refusal.context?.firstRange(of: "import_file").flatMap { range in
            refusal.context?[range.upperBound...].drop { !$0.isNumber }.prefix { $0.isNumber }
        }
        self = .malformed(line: digits.flatMap { Int($0) }, refusal.message)
    }
}
