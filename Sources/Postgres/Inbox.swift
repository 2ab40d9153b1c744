internal import Synchronization

/// Where a lane's callers leave their requests and its connections take them.
final class Inbox: Sendable {
    /// What a connection does next.
    enum Next { case send, sleep, stop }

    private struct Slot {
        var connection: Connection?
        /// What it took last, so that deadlines find it.
        var inFlight: [Request] = []
        var isUp = false
        var wasUp = false
        var isAsleep = false
    }

    private struct State {
        var waiting: [Request] = []
        var slots: [Slot] = []
        /// Set once nothing more is taken: what later callers get.
        var closed: PostgresError?
        /// Since when no connection is up; nil while one is or none was tried.
        var downSince: Nanoseconds?
        var lastFailure: String?
        var statistics = LaneStatistics()
    }

    let lane: LaneSettings
    private let state = Mutex(State())
    private let deadlines: Deadlines

    init(_ lane: LaneSettings, _ deadlines: Deadlines) {
        self.lane = lane
        self.deadlines = deadlines
        deadlines.watch(self)
    }

    // MARK: Callers

    /// Waits for the request's answer; throws what became of it.
    func answer(to request: Request) async throws -> Rows? {
        try await request.answer { add($0) }
    }

    private func add(_ request: Request) {
        let (refusal, sleeper, new) = state.withLock { state -> (PostgresError?, Connection?, Connection?) in
            if let closed = state.closed { return (closed, nil, nil) }
            state.waiting.append(request)
            if let slot = state.slots.firstIndex(where: \.isAsleep) {
                state.slots[slot].isAsleep = false
                return (nil, state.slots[slot].connection, nil)
            }
            guard state.slots.count < lane.limits.connections else { return (nil, nil, nil) }
            let connection = Connection(slot: state.slots.count, inbox: self)
            state.slots.append(Slot(connection: connection))
            return (nil, nil, connection)
        }
        if let refusal { return request.fail(refusal) }
        sleeper?.wake()
        if let new, !new.start() {
            ended(new.slot)
            failAll(.unavailable(reason: "the system gives no more threads"))
        }
        deadlines.expect(request.deadline)
    }

    // MARK: Connections

    /// Moves what the connection may send next into `group`.
    func take(for connection: Connection, _ group: inout [Request]) -> Next {
        group.removeAll(keepingCapacity: true)
        return state.withLock { state in
            state.slots[connection.slot].inFlight.removeAll(keepingCapacity: true)
            fill(&group, from: &state.waiting, for: connection)
            if !group.isEmpty {
                state.slots[connection.slot].inFlight.append(contentsOf: group)
                state.statistics.count(group)
                return .send
            }
            if state.closed != nil { return .stop }
            state.slots[connection.slot].isAsleep = true
            return .sleep
        }
    }

    private func fill(_ group: inout [Request], from waiting: inout [Request], for connection: Connection) {
        var taken = 0
        var room = lane.groupBytes
        for request in waiting {
            if group.count == lane.groupSize || (!group.isEmpty && room <= 0) { break }
            if let first = group.first, first.isIsolated != request.isIsolated { break }
            taken += 1
            guard request.take(for: connection) else { continue }
            room -= request.statements.reduce(0) { $1.binds.reduce($0) { $0 + ($1.size ?? 0) } }
            group.append(request)
        }
        if taken == waiting.count {
            waiting.removeAll(keepingCapacity: true)
        } else {
            waiting.removeFirst(taken)
        }
    }

    /// They did not run: they go first in the next group, of whichever connection.
    func putBack(_ requests: [Request]) {
        let wanted = requests.filter { $0.putBack() }
        let sleeper = state.withLock { state -> Connection? in
            state.waiting.insert(contentsOf: wanted, at: 0)
            return state.slots.first(where: \.isAsleep)?.connection
        }
        sleeper?.wake()
        for request in wanted { deadlines.expect(request.deadline) }
    }

    func noteError(_ sqlState: String) {
        state.withLock { $0.statistics.errors[String(sqlState.prefix(2)), default: 0] += 1 }
    }

    func connected(_ slot: Int) {
        state.withLock { state in
            state.statistics.connects += 1
            if state.slots[slot].wasUp { state.statistics.reconnects += 1 }
            state.slots[slot].isUp = true
            state.slots[slot].wasUp = true
            state.downSince = nil
            state.lastFailure = nil
        }
        lane.onEvent(.connected(lane: lane.name))
    }

    /// - Parameter reason: nil where the connection was closed because all was done.
    func disconnected(_ slot: Int, reason: String?) {
        state.withLock { state in
            state.slots[slot].isUp = false
            state.slots[slot].isAsleep = false
            state.slots[slot].inFlight.removeAll()
            if !state.slots.contains(where: \.isUp) { state.downSince = state.downSince ?? Clock.now() }
        }
        if let reason { lane.onEvent(.disconnected(lane: lane.name, reason: reason)) }
    }

    func connectFailed(_ slot: Int, reason: String) {
        state.withLock { state in
            if !state.slots.contains(where: \.isUp) { state.downSince = state.downSince ?? Clock.now() }
            state.lastFailure = reason
        }
        lane.onEvent(.connectFailed(lane: lane.name, reason: reason))
        failImpatient()
    }

    /// Whoever has waited long enough for a database that is known to be down is told so.
    func failImpatient() {
        let patience = lane.patience
        let (impatient, reason) = state.withLock { state -> ([Request], String) in
            guard let downSince = state.downSince, let reason = state.lastFailure else { return ([], "") }
            let limit = Clock.now() - patience
            guard downSince <= limit else { return ([], "") }
            let impatient = state.waiting.filter { $0.enqueuedAt <= limit }
            state.waiting.removeAll { $0.enqueuedAt <= limit }
            return (impatient, reason)
        }
        for request in impatient { request.fail(PostgresError.unavailable(reason: reason)) }
    }

    func failAll(_ error: PostgresError) {
        let waiting = state.withLock { state in
            defer { state.waiting.removeAll() }
            return state.waiting
        }
        for request in waiting { request.fail(error) }
    }

    // MARK: The end

    var isClosed: Bool { state.withLock { $0.closed != nil } }

    /// Takes no more, and gives `error` to who comes later; connections end when nothing is left to do.
    func close(_ error: PostgresError = .closed) {
        let connections = state.withLock { state in
            state.closed = state.closed ?? error
            return state.slots.compactMap(\.connection)
        }
        for connection in connections { connection.wake() }
    }

    /// Closed, and nobody waits.
    var isFinished: Bool { state.withLock { $0.closed != nil && $0.waiting.isEmpty } }

    /// A connection's thread is at its end.
    func ended(_ slot: Int) {
        let isLast = state.withLock { state in
            state.slots[slot].connection = nil
            return state.slots.allSatisfy { $0.connection == nil }
        }
        if isLast, isClosed { failAll(.closed) }
    }

    var isDrained: Bool {
        state.withLock { $0.slots.allSatisfy { $0.connection == nil } }
    }

    /// Ends connections at once; what they had fails.
    func abort() {
        close()
        let connections = state.withLock { $0.slots.compactMap(\.connection) }
        for connection in connections { connection.abort() }
    }

    var statistics: LaneStatistics {
        state.withLock { state in
            var statistics = state.statistics
            statistics.waiting = state.waiting.count
            statistics.inFlight = state.slots.reduce(0) { $0 + $1.inFlight.count }
            statistics.connectionsUp = state.slots.count { $0.isUp }
            return statistics
        }
    }
}

extension Inbox: DeadlineSource {
    func expire(at now: Nanoseconds) -> Nanoseconds {
        let (expired, earliest) = state.withLock { state -> ([Request], Nanoseconds) in
            var expired: [Request] = []
            var earliest = Clock.never
            func look(_ request: Request) -> Bool {
                if request.isFinished { return false }
                if request.deadline <= now {
                    expired.append(request)
                    return false
                }
                earliest = min(earliest, request.deadline)
                return true
            }
            state.waiting = state.waiting.filter(look)
            for slot in state.slots { for request in slot.inFlight { _ = look(request) } }
            return (expired, earliest)
        }
        for request in expired { request.expire() }
        return earliest
    }
}
