/// A queue of requests with its own connections: requests that wait in one lane do not delay another.
public struct Lane: Querying {
    let inbox: Inbox
    let kind: PipelineState.Member.Kind
    private(set) var deadline: Duration
    var key = 0
    /// The standbys that may answer reads instead, and the lane to use there.
    var standbys: (all: Standbys, lane: ReadLanes.Name)?

    init(inbox: Inbox, kind: PipelineState.Member.Kind, deadline: Duration) {
        self.inbox = inbox
        self.kind = kind
        self.deadline = deadline
    }

    /// A new lane, which connects to nothing yet.
    init(_ settings: LaneSettings, _ kind: PipelineState.Member.Kind, _ deadlines: Deadlines) {
        self.init(
            inbox: Inbox(settings, deadlines), kind: kind, deadline: settings.limits.deadline)
    }

    /// The lane for reads that must find the latest data: it never asks a standby.
    public var ofPrimary: Lane {
        var lane = self
        lane.standbys = nil
        return lane
    }

    /// Counts a request that its caller refused, because too many wait for a place in the caller's own queue.
    public func countRefusal() { inbox.countRefusal() }

    func orStandbys(_ all: Standbys?, _ name: ReadLanes.Name) -> Lane {
        var lane = self
        lane.standbys = all.map { ($0, name) }
        return lane
    }

    /// Returns this lane for callers that cannot wait as long.
    ///
    /// The server's own limit stays the lane's.
    public func with(deadline: Duration) -> Lane {
        var lane = self
        lane.deadline = deadline
        return lane
    }

    /// Returns this lane for calls that would wait for one another in the database. It runs those with the
    /// same key one at a time, so that the other connections stay free.
    ///
    /// A shared lane runs them side by side. In every lane at most a quarter of the queue's limit may wait
    /// with the same key.
    public func with(key: some Hashable) -> Lane {
        var lane = self
        lane.key = key.hashValue
        return lane
    }

    /// Runs one statement by itself, without `BEGIN`.
    ///
    /// A read may run several times: the lane sends it again if its connection breaks.
    public func rows(_ statement: Statement) async throws -> Rows {
        if let rows = try await fromStandby({ try await $0.rows(statement) }) { return rows }
        let request = Request(kind, [statement], key: key, deadline: deadline)
        guard let rows = try await inbox.answer(to: request) else { throw PostgresError.rolledBack }
        return rows
    }

    /// Returns what `read` finds through a standby's lane. Nil if the primary must be asked.
    func fromStandby<T>(_ read: (Lane) async throws -> T) async throws -> T? {
        guard let standbys else { return nil }
        return try await standbys.all.answer(standbys.lane, key: key, deadline: deadline, read)
    }

    /// Runs the statements as one transaction in one round trip. Returns the rows of each.
    ///
    /// They all take effect or none does. An error names its statement by `statementIndex`.
    @discardableResult
    public func batch(_ statements: [Statement]) async throws -> [Rows] {
        let request = Request(.batch, statements, key: key, deadline: deadline)
        _ = try await inbox.answer(to: request)
        return request.results
    }
}
