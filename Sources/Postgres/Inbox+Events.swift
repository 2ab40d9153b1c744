internal import Synchronization

/// Takes reports of connections, and closes the inbox.
extension Inbox {
    func connected(_ slot: Int) {
        state.withLock { state in
            state.statistics.connects += 1
            if !state.slots.contains(where: \.isUp) { state.upSince = Clock.now() }
            state.slots[slot].isUp = true
            state.down = nil
            state.pace.pause()
        }
        lane.onEvent(.connected(lane: lane.name))
    }

    /// - Parameter reason: why it ended. Nil if it was closed because nothing was left to do.
    func disconnected(_ slot: Int, reason: String?) {
        let (summoned, wasUp, patientUntil) = state.withLock { state -> (Summoned, Bool, Nanoseconds) in
            let wasUp = state.slots[slot].isUp
            state.slots[slot].isUp = false
            state.slots[slot].isAsleep = false
            state.slots[slot].isStuck = false
            state.slots[slot].key = 0
            state.slots[slot].inFlight.removeAll()
            if !state.slots.contains(where: \.isUp) { state.upSince = nil }
            let patientUntil = reason.map { noteDown($0, isLoss: true, &state) } ?? Clock.never
            let isServedByOthers = state.slots.contains { $0.isUp } && !state.waiting.isEmpty
            return (isServedByOthers ? summon(&state) : .nobody, wasUp, patientUntil)
        }
        rouse(summoned)
        deadlines.expect(patientUntil)
        if wasUp { lane.onEvent(.disconnected(lane: lane.name, reason: reason)) }
    }

    /// Notes a failed attempt to connect. Returns whether the connection should try again.
    @discardableResult
    func connectFailed(_ slot: Int, reason: String) -> Bool {
        let patientUntil = state.withLock { state in
            state.statistics.connectFailures += 1
            return noteDown(reason, isLoss: false, &state)
        }
        deadlines.expect(patientUntil)
        lane.onEvent(.connectFailed(lane: lane.name, reason: reason))
        return !PostgresError.tellsLackOfConnections(reason) || findRoom()
    }

    /// Returns when the first waiting request may fail as `unavailable`: never while another connection is
    /// up.
    // A lost connection alone is no outage: a new one first gets the connect timeout, which it may need to
    // end the process of the old one.
    private func noteDown(_ reason: String, isLoss: Bool, _ state: inout State) -> Nanoseconds {
        guard !state.slots.contains(where: \.isUp) else { return Clock.never }
        let since = state.down?.since ?? Clock.now()
        let afterLoss = since + lane.configuration.connectTimeout.nanoseconds
        let known = isLoss ? state.down?.known ?? afterLoss : since
        state.down = (since, known, reason)
        return known + lane.patience
    }

    /// Returns how long the request waits for a connection to take it.
    func limit(of request: Request, _ knownDown: Nanoseconds?) -> Nanoseconds {
        guard let knownDown else { return request.deadline }
        return min(request.deadline, max(request.enqueuedAt, knownDown) + lane.patience)
    }

    func failAll(_ error: PostgresError) {
        let waiting = state.withLock { state in
            defer { state.delayed.removeAll() }
            return state.waiting.removeAll() + state.delayed.map(\.request)
        }
        for request in waiting { request.fail(error) }
    }

    // MARK: The end

    var isClosed: Bool { state.withLock { $0.closed != nil } }

    /// Refuses later requests with `error`. Connections end when nothing is left to do.
    func close(_ error: PostgresError = .closed) {
        state.withLock { $0.closed = $0.closed ?? error }
        wakeAll()
    }

    private func wakeAll() {
        for connection in state.withLock({ $0.slots.compactMap(\.connection) }) { connection.wake() }
    }

    /// Whether the inbox is closed and no request waits.
    var isFinished: Bool {
        state.withLock { $0.closed != nil && $0.waiting.isEmpty && $0.delayed.isEmpty }
    }

    /// Notes that a connection's thread ended, or could not start.
    func ended(_ slot: Int) {
        let isLast = state.withLock { state in
            state.slots[slot].connection = nil
            state.slots[slot].mustLeave = false
            return state.slots.allSatisfy { $0.connection == nil }
        }
        if isLast, isClosed { failAll(.closed) }
    }

    var isDrained: Bool {
        state.withLock { $0.slots.allSatisfy { $0.connection == nil } }
    }

    /// Ends connections at once. Their requests fail.
    func abort() {
        close()
        let connections = state.withLock { $0.slots.compactMap(\.connection) }
        for connection in connections { connection.abort() }
    }

    var statistics: LaneStatistics {
        state.withLock { state in
            var statistics = state.statistics
            statistics.waiting = state.waiting.count + state.delayed.count
            statistics.inFlight = state.slots.reduce(0) { $0 + $1.inFlight.count }
            statistics.connectionsUp = state.slots.count { $0.isUp }
            return statistics
        }
    }
}

extension Inbox: DeadlineSource {
    // The connections cannot do this, because their threads may hang in a call that resolves a host's name.
    func expire(at now: Nanoseconds) -> Nanoseconds {
        var earliest = Clock.never
        var expired: [Request] = []
        func isOver(_ request: Request) -> Bool {
            if request.isFinished { return true }
            if request.deadline <= now {
                expired.append(request)
                return true
            }
            earliest = min(earliest, request.deadline)
            return false
        }
        let (summoned, impatient, down, isClosing) = state.withLock { state in
            let down = state.down
            _ = state.waiting.remove(isOver)
            let impatient = state.waiting.remove { request in
                let waitsUntil = limit(of: request, down?.known)
                if waitsUntil > now { earliest = min(earliest, waitsUntil) }
                return waitsUntil <= now
            }
            for slot in state.slots { for request in slot.inFlight { _ = isOver(request) } }
            let former = state.delayed.count
            state.delayed.removeAll { isOver($0.request) }
            let due = state.delayed.filter { $0.due <= now }.map(\.request)
            state.delayed.removeAll { $0.due <= now }
            for (later, _) in state.delayed { earliest = min(earliest, later) }
            for request in due { earliest = min(earliest, limit(of: request, down?.known)) }
            state.waiting.putFirst(due)
            state.statistics.expired += expired.count
            let isClosing = state.closed != nil && former != state.delayed.count
            return (due.map { _ in summon(&state) }, impatient, down, isClosing)
        }
        for request in expired { request.expire() }
        for request in impatient { request.fail(PostgresError.unavailable(reason: down?.reason ?? "")) }
        for summoned in summoned { rouse(summoned) }
        if isClosing { wakeAll() }
        return earliest
    }
}
