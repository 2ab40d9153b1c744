/// A queue of requests with its own connections: requests that wait in one lane do not delay another.
public struct Lane: Querying {
    let inbox: Inbox
    let kind: PipelineState.Member.Kind
    let deadline: Duration
    var key = 0

    /// The same lane for callers that cannot wait as long.
    ///
    /// The server's own limit stays the lane's.
    public func with(deadline: Duration) -> Lane {
        Lane(inbox: inbox, kind: kind, deadline: deadline, key: key)
    }

    /// The same lane for calls that would wait for one another in the database: it runs those with the same key one
    /// at a time, so that the other connections stay free.
    ///
    /// A shared lane runs them side by side. In every lane at most a quarter of the queue's limit may wait with the
    /// same key.
    public func with(key: some Hashable) -> Lane {
        Lane(inbox: inbox, kind: kind, deadline: deadline, key: key.hashValue)
    }

    /// Runs one statement by itself, without `BEGIN`.
    ///
    /// A read may run several times: the lane sends it again if its connection breaks.
    public func rows(_ statement: Statement) async throws -> Rows {
        let request = Request(kind, [statement], key: key, deadline: deadline)
        guard let rows = try await inbox.answer(to: request) else { throw PostgresError.rolledBack }
        return rows
    }

    /// Runs the statements as one transaction in one round trip; returns the rows of each.
    ///
    /// They all take effect or none does; an error names its statement by `statementIndex`.
    @discardableResult
    public func batch(_ statements: [Statement]) async throws -> [Rows] {
        let request = Request(.batch, statements, key: key, deadline: deadline)
        _ = try await inbox.answer(to: request)
        return request.results
    }
}
