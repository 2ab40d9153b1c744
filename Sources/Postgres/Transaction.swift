internal import Synchronization

/// Statements that take effect together, for callers that must look at one's rows before they send the next.
public final class Transaction: Querying {
    private let inbox: Inbox
    private let isOver = Atomic<Bool>(false)

    init(_ inbox: Inbox) {
        self.inbox = inbox
    }

    /// Runs one statement.
    ///
    /// After one was refused, the server refuses all that follow.
    public func rows(_ statement: Statement) async throws -> Rows {
        guard !isOver.load(ordering: .acquiring) else { throw PostgresError.closed }
        return try await send(statement)
    }

    func begin() async throws {
        _ = try await send("BEGIN")
    }

    /// The server answers the COMMIT of a failed transaction with success and the tag ROLLBACK.
    func commit() async throws {
        isOver.store(true, ordering: .releasing)
        guard try await send("COMMIT", commits: true).tag == "COMMIT" else { throw PostgresError.rolledBack }
    }

    /// Whether the session is as it was before.
    func rollback() async -> Bool {
        isOver.store(true, ordering: .releasing)
        // The caller's task may be cancelled; this must be sent all the same.
        let rollback = Task { [self] in try await send("ROLLBACK") }
        return (try? await rollback.value) != nil
    }

    private func send(_ statement: Statement, commits: Bool = false) async throws -> Rows {
        let deadline = inbox.lane.limits.deadline
        let request = Request(.single, [statement], commits: commits, deadline: deadline)
        guard let rows = try await inbox.answer(to: request) else { throw PostgresError.rolledBack }
        return rows
    }
}

extension Database {
    /// Runs `body` in a transaction of its own: committed when it returns, rolled back when it throws.
    ///
    /// Where one batch can say it all, a batch is several times faster. Never run again by itself.
    public nonisolated(nonsending) func transaction<T>(
        _ body: nonisolated(nonsending) (Transaction) async throws -> T
    ) async throws -> T {
        let (inbox, transaction) = try await begin()
        let value: T
        do {
            value = try await body(transaction)
        } catch {
            sessions.takeBack(inbox, isReusable: await transaction.rollback())
            throw error
        }
        do {
            try await transaction.commit()
        } catch {
            sessions.takeBack(inbox, isReusable: false)
            throw error
        }
        sessions.takeBack(inbox, isReusable: true)
        return value
    }

    /// A session that had lain idle may turn out to be dead: nothing was sent yet, so another is taken.
    private func begin() async throws -> (Inbox, Transaction) {
        var attempts = 0
        while true {
            let inbox = try await sessions.lend()
            let transaction = Transaction(inbox)
            do {
                try await transaction.begin()
                return (inbox, transaction)
            } catch {
                sessions.takeBack(inbox, isReusable: false)
                attempts += 1
                guard case PostgresError.connectionLost = error, attempts < 3 else { throw error }
            }
        }
    }
}
