/// A connection of one's own without a transaction around it: for migrations, advisory locks and what
/// PostgreSQL does not run in transactions.
///
/// Without deadlines; cancellation works.
public struct Session: Querying {
    let inbox: Inbox

    static let forever = Duration.seconds(1 << 40)

    /// Runs one statement.
    ///
    /// A broken connection is not replaced: all that follows fails too.
    public func rows(_ statement: Statement) async throws -> Rows {
        try await rows(statement, deadline: Session.forever)
    }

    /// Runs a text of several statements; outside of a `BEGIN` in it they are one transaction.
    public func script(_ sql: String) async throws {
        _ = try await inbox.answer(
            to: Request(.script, [Statement(stringLiteral: sql)], deadline: Session.forever))
    }

    func rows(_ statement: Statement, deadline: Duration) async throws -> Rows {
        let request = Request(.single, [statement], deadline: deadline)
        guard let rows = try await inbox.answer(to: request) else { throw PostgresError.rolledBack }
        return rows
    }
}

extension Database {
    /// Runs `body` with a new connection, which is closed at the end; its advisory locks are released by then.
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
        // In a task of its own: the caller's may be cancelled.
        let unlock = Task {
            _ = try await session.rows("SELECT pg_advisory_unlock_all()", deadline: .seconds(1))
        }
        _ = await unlock.result
        sessions.takeBack(session.inbox, isReusable: false)
    }
}
