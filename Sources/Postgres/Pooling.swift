extension Database {
    /// Whether a pooler between here and the server lends its processes for a transaction only: then what
    /// one session sets up holds for another, and prepared statements go astray.
    ///
    /// Of two sessions at once each has a process of its own, and keeps it, unless somebody lends them.
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
    /// The server's process that ran this statement.
    fileprivate var process: Int? {
        get async throws {
            try await first("SELECT pg_backend_pid()") { try $0.next(as: Int.self) }
        }
    }
}
