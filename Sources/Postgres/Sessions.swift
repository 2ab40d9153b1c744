internal import Synchronization

/// Exclusive connections: lends each to one caller, and then closes it.
///
/// The lane's limit of connections applies; further callers wait.
final class Sessions: Sendable {
    private struct State {
        var open: [Inbox] = []
        /// How many are lent, or about to be.
        var lent = 0
        var waiting: [Request] = []
        var isClosed = false
        var retired = LaneStatistics()
    }

    private let lane: LaneSettings
    private let deadlines: Deadlines
    private let state = Mutex(State())

    init(_ lane: LaneSettings, _ deadlines: Deadlines) {
        self.lane = lane
        self.deadlines = deadlines
        deadlines.watch(self)
    }

    /// Opens a new connection for the caller alone, who must give it back with `takeBack`.
    func lend(_ limits: Database.Limits) async throws -> Inbox {
        let ticket = Request(.single, [], deadline: lane.limits.deadline)
        _ = try await ticket.answer { admit($0) }
        var settings = lane
        settings.limits = limits
        let inbox = Inbox(settings, deadlines)
        state.withLock { $0.open.append(inbox) }
        return inbox
    }

    private func admit(_ ticket: Request) {
        let isClosed = state.withLock { state in
            if state.isClosed { return true }
            if state.lent < lane.limits.connections {
                if ticket.succeed(nil) { state.lent += 1 }
            } else {
                state.waiting.append(ticket)
            }
            return false
        }
        if isClosed { return ticket.fail(PostgresError.closed) }
        deadlines.expect(ticket.deadline)
    }

    /// Closes the connection, and lends a new one to the next waiting caller.
    func takeBack(_ inbox: Inbox) {
        state.withLock { state in
            state.open.removeAll { $0 === inbox }
            state.retired = state.retired + inbox.statistics.sinceStart
            state.lent -= 1
            while !state.waiting.isEmpty && state.lent < lane.limits.connections {
                if state.waiting.removeFirst().succeed(nil) { state.lent += 1 }
            }
        }
        inbox.close()
    }

    /// Stops lending.
    ///
    /// Lent connections work until `abort`.
    func close() {
        let waiting = state.withLock { state in
            state.isClosed = true
            defer { state.waiting.removeAll() }
            return state.waiting
        }
        for ticket in waiting { ticket.fail(PostgresError.closed) }
    }

    func abort() {
        let open = state.withLock { $0.open }
        for inbox in open { inbox.abort() }
    }

    var isDrained: Bool {
        state.withLock { $0.lent == 0 && $0.open.allSatisfy(\.isDrained) }
    }

    var statistics: LaneStatistics {
        state.withLock { state in
            var sum = state.open.reduce(state.retired) { $0 + $1.statistics }
            sum.waiting += state.waiting.count
            return sum
        }
    }
}

extension Sessions: DeadlineSource {
    func expire(at now: Nanoseconds) -> Nanoseconds {
        let (expired, earliest) = state.withLock { state in
            let expired = state.waiting.filter { $0.deadline <= now }
            state.waiting.removeAll { $0.deadline <= now || $0.isFinished }
            return (expired, state.waiting.map(\.deadline).min() ?? Clock.never)
        }
        for ticket in expired { ticket.expire() }
        return earliest
    }
}
