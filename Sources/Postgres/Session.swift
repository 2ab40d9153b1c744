/// A connection for one caller, without a transaction around it: for migrations, advisory locks and
/// statements that PostgreSQL does not run in transactions.
///
/// It has no deadlines; cancellation works.
public struct Session: Querying {
    let inbox: Inbox
    /// Whether a statement commits when it ends. Between `BEGIN` and `COMMIT` it does not.
    var commits = true

    static let forever = Duration.seconds(1 << 40)

    /// Runs one statement.
    ///
    /// A broken connection is not replaced: all later calls fail too.
    public func rows(_ statement: Statement) async throws -> Rows {
        try await rows(statement, deadline: Session.forever)
    }

    /// Runs several statements in one text. Without a `BEGIN` in it they are one transaction.
    public func script(_ sql: String) async throws {
        _ = try await inbox.answer(
            to: Request(
                .script, [Statement(sql: sql)], commits: commits, deadline: Session.forever))
    }

    /// Runs a `COPY … FROM STDIN` with the chunks that `next` returns until it returns nil. Returns the
    /// number of rows.
    ///
    /// Chunks may end anywhere. If `next` throws, the COPY fails and this rethrows the error. If the server
    /// refuses a line, the error's `context` names it.
    public nonisolated(nonsending) func copy(
        _ sql: String, from next: nonisolated(nonsending) () async throws -> [UInt8]?
    ) async throws -> Int {
        let (inbox, feed) = (inbox, CopyFeed())
        let request = Request(
            .copy, [Statement(sql: sql)], commits: commits, feed: feed, deadline: Session.forever)
        async let answer = feed.closed(after: { try await inbox.answer(to: request) })
        do {
            while let chunk = try await next(), await feed.put(chunk) {}
            // A cancelled `next` may return nil, but a part of the data must not count as the whole.
            try Task.checkCancellation()
            feed.end()
        } catch {
            feed.end(refusing: "the sender failed")
            _ = try? await answer
            throw error
        }
        return try await answer?.affected ?? 0
    }

    /// Runs `body` between `BEGIN` and `COMMIT`. Rolls back if it throws.
    public nonisolated(nonsending) func transaction<T>(
        _ body: nonisolated(nonsending) (Session) async throws -> T
    ) async throws -> T {
        let inside = Session(inbox: inbox, commits: false)
        try await inside.run("BEGIN")
        let value: T
        do {
            value = try await body(inside)
        } catch {
            // The rollback runs in a task of its own, since the caller's may be cancelled.
            _ = await Task { try await rows("ROLLBACK") }.result
            throw error
        }
        guard try await rows("COMMIT").tag == "COMMIT" else { throw PostgresError.rolledBack }
        return value
    }

    func rows(_ statement: Statement, deadline: Duration) async throws -> Rows {
        let request = Request(.single, [statement], commits: commits, deadline: deadline)
        guard let rows = try await inbox.answer(to: request) else { throw PostgresError.rolledBack }
        return rows
    }
}

extension Database {
    /// Runs `body` with a new connection, then releases its advisory locks and closes it.
    public nonisolated(nonsending) func withConnection<T>(
        _ body: nonisolated(nonsending) (Session) async throws -> T
    ) async throws -> T {
        let unlimited = Limits(
            connections: 1, deadline: Session.forever, lockTimeout: .zero, idleInTransaction: .zero)
        let inbox = try await sessions.lend(unlimited)
        let session = Session(inbox: inbox)
        do {
            let value = try await body(session)
            await end(session)
            return value
        } catch {
            await end(session)
            throw error
        }
    }

    private func end(_ session: Session) async {
        // The release runs in a task of its own, since the caller's may be cancelled.
        let unlock = Task {
            _ = try await session.rows("SELECT pg_advisory_unlock_all()", deadline: .seconds(1))
        }
        _ = await unlock.result
        sessions.takeBack(session.inbox)
    }
}
