/// What a pooler before the server does that `Configuration.pooler` does not allow for.
public enum PoolerMistake: Error, Sendable {
    /// The pooler gives a session another process for each transaction. Then settings of one session reach
    /// another, and prepared statements are missing.
    case sharesByTransaction
    /// The pooler loses prepared statements.
    case losesPrepared
    /// The role or the database has another isolation level than READ COMMITTED, which no session can change
    /// behind it.
    case isolation(String)
}

extension Database {
    /// Finds out whether sessions work as `Configuration.pooler` says.
    ///
    /// Without a pooler two sessions at once have different processes, and keep them. The check is repeated,
    /// since a pooler may give a session the same process by chance.
    public func poolerMistake() async throws -> PoolerMistake? {
        let mistake: PoolerMistake =
            configuration.pooler == .prepared ? .losesPrepared : .sharesByTransaction
        do {
            let isShared = try await withConnection { one in
                try await withConnection { other in try await Self.share(one, other) }
            }
            if isShared, configuration.pooler == .none { return mistake }
            guard configuration.pooler != .none else { return nil }
            let level = try await read.ofPrimary.first(
                "SELECT current_setting('default_transaction_isolation')"
            ) { try $0.next(as: String.self) }
            return level == "read committed" ? nil : .isolation(level ?? "")
        } catch let error as PostgresError where ["26000", "42P05"].contains(error.sqlState) {
            return mistake
        }
    }

    private static func share(_ one: Session, _ other: Session) async throws -> Bool {
        let (first, second) = (try await one.process, try await other.process)
        var isShared = first == second
        for _ in 0..<10 {
            let (again, too) = (try await one.process, try await other.process)
            isShared = isShared || again != first || too != second
        }
        return isShared
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
