import Foundation
import Postgres

/// Imports a file: stages it by COPY and writes it in one transaction.
public struct ImportStore: Sendable {
    let db: Database
    let usernames: UsernamePolicy
    let friends: FriendLimits

    init(_ db: Database, usernames: UsernamePolicy, friends: FriendLimits) {
        self.db = db
        self.usernames = usernames
        self.friends = friends
    }

    private struct DryRun: Error {
        var report: ImportReport
    }

    /// Imports valid lines, and refuses and counts the others; throws an `ImportError` for a file that is not such CSV. A
    /// second run of the same file changes nothing.
    ///
    /// - Parameters:
    ///   - next: returns the chunks of the file, which may end anywhere, and nil at its end.
    ///   - isDryRun: runs the import and rolls it back.
    public nonisolated(nonsending) func run(
        _ kind: Import, isDryRun: Bool = false,
        progress: @escaping @Sendable (ImportProgress) -> Void = { _ in },
        from next: nonisolated(nonsending) () async throws -> [UInt8]?
    ) async throws -> ImportReport {
        try await Self.run(
            kind.columns, into: kind.tables, of: db, isDryRun: isDryRun, progress: progress, from: next
        ) { try await write(kind, $0) }
    }

    /// - Parameters:
    ///   - tables: those that it fills.
    ///   - write: writes the lines.
    static nonisolated(nonsending) func run(
        _ columns: ImportColumns, into tables: String, of db: Database, isDryRun: Bool,
        progress: @escaping @Sendable (ImportProgress) -> Void,
        from next: nonisolated(nonsending) () async throws -> [UInt8]?,
        write: nonisolated(nonsending) (StagedImport) async throws -> ImportReport
    ) async throws -> ImportReport {
        try await runAlone(into: tables, of: db, isDryRun: isDryRun, progress: progress) { session in
            try await write(StagedImport(columns, session, progress, from: next))
        }
    }

    /// Runs an import while no other runs: all of it is committed or, as after a dry run, nothing.
    static nonisolated(nonsending) func runAlone(
        into tables: String, of db: Database, isDryRun: Bool,
        progress: @escaping @Sendable (ImportProgress) -> Void,
        _ write: nonisolated(nonsending) (Session) async throws -> ImportReport
    ) async throws -> ImportReport {
        do {
            return try await db.withConnection { session in
                let report = try await session.transaction { session in
                    try await begin(session)
                    let report = try await write(session)
                    if isDryRun { throw DryRun(report: report) }
                    return report
                }
                // The planner should know the new sizes.
                progress(.working("updating statistics", rows: report.imported))
                try await session.script("ANALYZE \(tables)")
                return report
            }
        } catch let dryRun as DryRun {
            return dryRun.report
        }
    }

    private nonisolated(nonsending) func write(_ kind: Import, _ staged: StagedImport) async throws
        -> ImportReport
    {
        switch kind {
        case .users(let keepNames, let isComplete):
            try await UserImportStore(staged: staged, policy: usernames)
                .write(keepNames: keepNames, historyComplete: isComplete)
        case .usernames(let isComplete):
            try await UsernameImportStore(staged: staged).write(complete: isComplete)
        case .friendships(let oneSided):
            try await FriendshipImportStore(staged: staged, limits: friends, oneSided: oneSided).write()
        case .nameStates: try await NameStateImportStore(staged: staged).write()
        case .relationships: try await RelationshipImportStore(staged: staged).write()
        case .invites: try await InviteImportStore(staged: staged).write()
        case .inviteUses: try await InviteUseImportStore(staged: staged).write()
        case .inviters: try await InviterImportStore(staged: staged).write()
        }
    }

    /// An arbitrary number, the same for all imports.
    private static let lock = 0x6B_69_74_69

    private static func begin(_ session: Session) async throws {
        let isFirst = try await session.first("SELECT pg_try_advisory_xact_lock(\(lock))") {
            try $0.next(as: Bool.self)
        }
        guard isFirst == true else { throw ImportError.anotherUnderWay }
        // Sorts of many rows need memory; and if this process dies, the server must stop, too. Citus, which else would
        // refuse large files, sends staged rows to all nodes; PostgreSQL ignores a setting that no extension has.
        try await session.script(
            """
            SET LOCAL work_mem = '256MB';
            SET LOCAL jit = off;
            SET LOCAL TimeZone = 'UTC';
            SET LOCAL DateStyle = 'ISO, YMD';
            SET LOCAL client_connection_check_interval = '2s';
            SET LOCAL citus.max_intermediate_result_size = -1
            """)
    }
}

/// The lines of a file in the temporary table `import_file`, numbered from 1 by `record`.
struct StagedImport {
    let session: Session
    let progress: @Sendable (ImportProgress) -> Void
    /// How many, without the header.
    let records: Int
    /// 1 if the file has a header line.
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
                \(columns.all.map { "\($0) \(ImportStore.type(of: $0, columns, file))" }.joined(separator: ", "))
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
        try await ImportStore.readTimes(
            file.header.columns.filter { columns.types[$0] == ImportStore.time }, of: self)
        progress(.working("matching", rows: records))
        try await session.script("ANALYZE import_file")
    }

    /// Stops others from writing to the tables until the import is over; they may still read.
    // Other writers lock several of these tables in other orders. So this never waits long while it holds only some of
    // them; it releases them and tries again.
    func lock(_ tables: String) async throws {
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

    /// Reads a query's rows of a reason, a count and the first records as findings.
    func findings(_ query: Statement) async throws -> [ImportReport.Finding] {
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

    /// The verdicts of a table of judged lines.
    func findings(in table: Statement) async throws -> [ImportReport.Finding] {
        try await findings(
            """
            SELECT verdict, count(*), (array_agg(record ORDER BY record))[1:5]
            FROM \(table) WHERE verdict IS NOT NULL GROUP BY verdict
            """)
    }

    /// A line, with its fields in the order of the columns.
    struct Line: Sendable {
        let number: Int
        let fields: [String?]
    }

    /// Reads the lines in their order, 2,000 at a time.
    /// - Parameter most: so many characters of a field are read.
    nonisolated(nonsending) func forEachBatch(
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

    /// The numbers of the lines on which the records begin.
    func lines(_ records: [Int]) async throws -> [Int] {
        guard hasLongRecords, let last = records.max() else { return records.map { $0 + headers } }
        let long = try await session.query(
            "SELECT record, \(Self.breaks) FROM import_file WHERE record < \(last) AND \(Self.breaks) > 0"
        ) { try (record: $0.next(as: Int.self), breaks: $0.next(as: Int.self)) }
        return records.map { record in
            record + headers + long.reduce(0) { $0 + ($1.record < record ? $1.breaks : 0) }
        }
    }

    /// How many line breaks are within a record.
    private static let breaks: Statement =
        "(length(import_file::text) - length(replace(import_file::text, chr(10), '')))::bigint"
}

extension ImportError {
    /// The server's error about a file that is not CSV of these columns; nil for other errors.
    init?(malformed error: PostgresError) {
        guard case .server(let refusal) = error, refusal.sqlState.hasPrefix("22") else { return nil }
        // `COPY import_file, line 17, column uid: "x"`, in the server's language.
        let digits = refusal.context?.firstRange(of: "import_file").flatMap { range in
            refusal.context?[range.upperBound...].drop { !$0.isNumber }.prefix { $0.isNumber }
        }
        self = .malformed(line: digits.flatMap { Int($0) }, refusal.message)
    }
}
