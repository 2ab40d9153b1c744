internal import CLibPQ

/// A server process, identified by its number and its start time.
struct Backend: Equatable {
    let pid: Int32
    let startedAt: String

    /// Asks a session which process it is.
    static let identify: Statement = """
        SELECT pid::text, backend_start::text AS backend_start
        FROM pg_stat_activity WHERE pid = pg_backend_pid()
        """

    /// Reads the answer to `identify`. Nil for any other result.
    ///
    /// It is also nil behind a pooler: there `pid` is not the number of the process, which may serve others.
    init?(_ result: OpaquePointer, pid: Int32) {
        guard PQntuples(result) == 1, PQnfields(result) == 2, PQfnumber(result, "backend_start") == 1,
            let found = PQgetvalue(result, 0, 0), let start = PQgetvalue(result, 0, 1),
            Int32(String(cString: found)) == pid
        else { return nil }
        self.pid = pid
        startedAt = String(cString: start)
    }

    /// Returns one row if the process waits for its client: the time of its last change of state.
    ///
    /// Citus waits for its workers under the same event name, so there an active process does not count.
    var waitsForClient: Statement {
        """
        SELECT state_change::text FROM pg_stat_activity
        WHERE pid = \(pid) AND backend_start = \(startedAt)::timestamptz AND wait_event = 'ClientRead'
          AND (state <> 'active' OR NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus'))
        """
    }

    /// Ends the process if it still exists, and waits up to a second until it has released its locks.
    var terminate: Statement {
        """
        SELECT pg_terminate_backend(pid, 1000) FROM pg_stat_activity
        WHERE pid = \(pid) AND backend_start = \(startedAt)::timestamptz
        """
    }
}
