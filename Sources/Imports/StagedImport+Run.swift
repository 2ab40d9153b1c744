import Kernel
package import Postgres

extension StagedImport {
    private struct DryRun: Error {
        var report: ImportReport
    }

    /// - Parameters:
    ///   - tables: the tables that it fills.
    ///   - write: writes the lines.
    package static nonisolated(nonsending) func run(
        _ columns: ImportColumns, into tables: String, of db: Database, isDryRun: Bool,
        progress: @escaping @Sendable (ImportProgress) -> Void,
        from next: nonisolated(nonsending) () async throws -> [UInt8]?,
        write: nonisolated(nonsending) (StagedImport) async throws -> ImportReport
    ) async throws -> ImportReport {
        try await runAlone(into: tables, of: db, isDryRun: isDryRun, progress: progress) { session in
            try await write(StagedImport(columns, session, progress, from: next))
        }
    }

    /// Runs an import while no other runs. All of it is committed or, for instance after a dry run, nothing.
    package static nonisolated(nonsending) func runAlone(
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

    /// An arbitrary number, which all imports share.
    private static let lock = 0x6B_69_74_69

    private static func begin(_ session: Session) async throws {
        let isFirst = try await session.first("SELECT pg_try_advisory_xact_lock(\(lock))") {
            try $0.next(as: Bool.self)
        }
        guard isFirst == true else { throw ImportError.anotherUnderWay }
        // Sorts of many rows need memory, and if this process dies, the server must stop too. Citus sends
        // staged rows to all nodes, and without the last setting would refuse large files. PostgreSQL ignores
        // a setting that no extension has.
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
