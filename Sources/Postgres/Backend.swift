internal import CLibPQ

/// A server's process, told from every other one by when it began.
struct Backend: Equatable {
    let pid: Int32
    let startedAt: String

    /// Asks a session which process it is.
    static let identify: Statement = """
        SELECT pid::text, backend_start::text AS backend_start
        FROM pg_stat_activity WHERE pid = pg_backend_pid()
        """

    /// From the answer to `identify`; nil for any other result.
    ///
    /// nil too where a pooler stands between: then `pid` is not the process's, and it may serve others.
    init?(_ result: OpaquePointer, pid: Int32) {
        guard PQntuples(result) == 1, PQnfields(result) == 2, PQfnumber(result, "backend_start") == 1,
            let found = PQgetvalue(result, 0, 0), let start = PQgetvalue(result, 0, 1),
            Int32(String(cString: found)) == pid
        else { return nil }
        self.pid = pid
        startedAt = String(cString: start)
    }

    /// One row where it waits for its client to send more: when it began what it did last.
    ///
    /// Citus waits for its workers under the same name, so there an active process is no proof.
    var waitsForClient: Statement {
        """
        SELECT state_change::text FROM pg_stat_activity
        WHERE pid = \(pid) AND backend_start = \(startedAt)::timestamptz AND wait_event = 'ClientRead'
          AND (state <> 'active' OR NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus'))
        """
    }

    /// Ends it, if it is still there, and waits up to a second until it has let go of its locks.
    var terminate: Statement {
        """
        SELECT pg_terminate_backend(pid, 1000) FROM pg_stat_activity
        WHERE pid = \(pid) AND backend_start = \(startedAt)::timestamptz
        """
    }
}
