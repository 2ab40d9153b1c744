extension Database {
    /// Whether a pooler before the server assigns processes to sessions for one transaction only: then the settings
    /// of one session reach another, and prepared statements are missing.
    ///
    /// Without such a pooler two sessions at once have different processes, and keep them.
    public func isPooledByTransaction() async throws -> Bool {
        try await withConnection { one in
            try await withConnection { other in
                let first = try await one.process
                let second = try await other.process
                let again = try await one.process
                return first == second || again != first
            }
        }
    }
}

extension Session {
    /// The server process that ran this statement.
    fileprivate var process: Int? {
        get async throws {
            try await first("SELECT pg_backend_pid()") { try $0.next(as: Int.self) }
        }
    }
}
