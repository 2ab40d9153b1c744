internal import Synchronization

/// The queue of a lane, in which callers leave requests and from which connections take them.
final class Inbox: Sendable {
    /// What a connection does next.
    enum Next { case send, sleep, stop }

    /// The connection that is called to take waiting requests.
    enum Summoned {
        case nobody
        case sleeper(Connection)
        case new(Connection)
        /// There is no connection, and the system gives none.
        case impossible
    }

    struct Slot {
        var connection: Connection?
        /// The requests that the connection took last, so that deadlines reach them.
        var inFlight: [Request] = []
        var isUp = false
        var isAsleep = false
        /// Whether its server has been silent about its group for a while, so that other connections take the
        /// waiting requests.
        var isStuck = false
        /// The key it holds: no other connection takes a request with this key.
        var key = 0
        /// Whether the connection closes as soon as nothing is under way, so that another lane can have one.
        var mustLeave = false

        /// Whether the connection will soon ask for more requests. In shared lanes only the one that tries
        /// suspects has a key.
        var takesSoon: Bool { isUp && !isAsleep && !isStuck && key == 0 }
    }

    struct State {
        var waiting = Queue()
        /// Requests to send again when they are due.
        var delayed: [(due: Nanoseconds, request: Request)] = []
        var slots: [Slot] = []
        /// The error for later callers, once the inbox is closed.
        var closed: PostgresError?
        /// The outage: when the last connection was lost, when the database began to count as down, and why.
        /// Nil while a connection is up or none was tried.
        var down: (since: Nanoseconds, known: Nanoseconds, reason: String)?
        var statistics = LaneStatistics()
        var pace = Pace()
        /// When the current time with at least one connection began. Nil while none is up.
        var upSince: Nanoseconds?
        /// When a lane that has a connection may try to open another, after the server refused one.
        var opensAgainAt: Nanoseconds = 0

        /// Whether a connection is at work on a request with this key.
        func holds(_ key: Int) -> Bool { slots.contains { $0.key == key } }

        /// Whether suspects wait and no connection is trying any.
        var mayTrySuspects: Bool { waiting.hasSuspects && !holds(Queue.suspectKey) }
    }

    let lane: LaneSettings
    let state = Mutex(State())
    let deadlines: Deadlines

    init(_ lane: LaneSettings, _ deadlines: Deadlines) {
        self.lane = lane
        self.deadlines = deadlines
        deadlines.watch(self)
    }

    // MARK: Callers

    /// Waits for the request's answer. Throws its error.
    func answer(to request: Request) async throws -> Rows? {
        try await request.answer { add($0) }
    }

    private func add(_ request: Request) {
        typealias Outcome = (refusal: PostgresError?, summoned: Summoned, waitsUntil: Nanoseconds)
        let (refusal, summoned, waitsUntil) = state.withLock { state -> Outcome in
            if let refusal = self.refusal(of: request, &state) {
                state.statistics.refused += 1
                return (refusal, .nobody, Clock.never)
            }
            let summoned = summon(&state)
            if case .impossible = summoned { return (.noDescriptor, .nobody, Clock.never) }
            state.waiting.append(request)
            return (nil, summoned, limit(of: request, state.down?.known))
        }
        if let refusal { return request.fail(refusal) }
        rouse(summoned)
        deadlines.expect(waitsUntil)
    }

    func countRefusal() { state.withLock { $0.statistics.refused += 1 } }

    /// Returns why the request would wait in vain. Nil if it would not.
    private func refusal(of request: Request, _ state: inout State) -> PostgresError? {
        if let closed = state.closed { return closed }
        let isSuspect = state.waiting.isSuspect(request)
        let (oldest, count) = state.waiting.line(ofSuspects: isSuspect)
        guard let oldest else { return nil }
        let (limit, line) = (lane.limits.waiting, lane.limits.line.nanoseconds)
        let age = request.enqueuedAt - oldest.enqueuedAt
        if isSuspect { return count >= limit / 4 || age > line ? .overloaded : nil }
        if count >= limit { return .overloaded }
        // One hot key must not fill the lane.
        if request.key != 0, count >= limit / 4,
            state.waiting.count(key: request.key) >= limit / 4
        {
            return .overloaded
        }
        guard age > line / 10, !isFree(state) else { return nil }
        return isLong(state, at: request.enqueuedAt) ? .overloaded : nil
    }

    /// Whether the line is too long. It is if the first request has waited longer than the limit, or if it
    /// has waited a tenth of that and the whole line takes longer than the limit at the lane's pace. A line
    /// left by an outage does not count.
    private func isLong(_ state: State, at now: Nanoseconds) -> Bool {
        guard let upSince = state.upSince, let first = state.waiting.ready(isHeld: state.holds) else {
            return false
        }
        let (line, age) = (lane.limits.line.nanoseconds, now - max(first.since, upSince))
        return age > line || age > line / 10 && state.pace.time(for: first.count) > line
    }

    /// Whether a connection could take another request at once. If so, waiting requests wait only for their
    /// keys.
    private func isFree(_ state: State) -> Bool {
        if state.slots.contains(where: \.isAsleep) { return true }
        let (used, connecting) = state.slots.reduce((0, 0)) { counts, slot in
            slot.connection == nil ? counts : (counts.0 + 1, counts.1 + (slot.isUp ? 0 : 1))
        }
        return used < lane.limits.connections && connecting == 0 && mayOpen(state)
    }

    // MARK: Finding a connection

    /// Finds a connection for waiting requests, unless a busy one will soon come for them.
    // In a shared lane a second connection would halve the groups, so it is used only when the first is
    // stuck.
    func summon(_ state: inout State) -> Summoned {
        let isShared = lane.sharing == .shared
        if isShared, state.slots.contains(where: \.takesSoon), !state.mayTrySuspects { return .nobody }
        if let slot = state.slots.firstIndex(where: \.isAsleep), let sleeper = state.slots[slot].connection {
            state.slots[slot].isAsleep = false
            return .sleeper(sleeper)
        }
        if isShared, state.slots.contains(where: { $0.connection != nil && !$0.isUp }) { return .nobody }
        let slot = state.slots.firstIndex { $0.connection == nil } ?? state.slots.count
        guard slot < lane.limits.connections, mayOpen(state) else { return .nobody }
        guard let connection = Connection(slot: slot, inbox: self) else {
            return state.slots.contains { $0.connection != nil } ? .nobody : .impossible
        }
        if slot == state.slots.count { state.slots.append(Slot()) }
        state.slots[slot].connection = connection
        return .new(connection)
    }

    func rouse(_ summoned: Summoned) {
        switch summoned {
        case .nobody: break
        case .sleeper(let connection): connection.wake()
        case .new(let connection):
            if !connection.start() {
                ended(connection.slot)
                failOrphans(.unavailable(reason: "the system gives no more threads"))
            }
        case .impossible: failOrphans(.noDescriptor)
        }
    }

    /// Fails all waiting requests if there is no connection to take them.
    private func failOrphans(_ error: PostgresError) {
        let orphans = state.withLock { state in
            state.slots.contains { $0.connection != nil } ? [] : state.waiting.removeAll()
        }
        for request in orphans { request.fail(error) }
    }

    /// Lets another connection take the waiting requests, because this one's server is silent.
    func stuck(_ slot: Int) {
        rouse(
            state.withLock { state in
                state.slots[slot].isStuck = true
                return state.waiting.isEmpty ? .nobody : summon(&state)
            })
    }

    // MARK: Connections

    /// Moves the requests that the connection may send next into `group`.
    func take(for connection: Connection, _ group: inout [Request]) -> Next {
        group.removeAll(keepingCapacity: true)
        let now = Clock.now()
        connection.takenAt = now
        let (next, summoned) = state.withLock { state -> (Next, Summoned) in
            let slot = connection.slot
            let formerKey = state.slots[slot].key
            state.slots[slot].inFlight.removeAll(keepingCapacity: true)
            state.slots[slot].isStuck = false
            state.slots[slot].key = 0
            if mustLeave(slot, &state) { return (.stop, .nobody) }
            state.slots[slot].key = fill(&group, &state, for: connection)
            if !group.isEmpty {
                state.slots[slot].inFlight.append(contentsOf: group)
                state.pace.took(
                    group.count, at: now, othersWait: state.waiting.ready(isHeld: state.holds) != nil)
                state.statistics.count(group)
                // Requests with the former key may run now. Sleeping connections have passed them over, so
                // wake one.
                let isFreed =
                    formerKey != 0 && formerKey != state.slots[slot].key && !state.waiting.isEmpty
                return (.send, isFreed ? summon(&state) : .nobody)
            }
            if state.closed != nil, state.delayed.isEmpty { return (.stop, .nobody) }
            state.slots[slot].isAsleep = true
            return (.sleep, .nobody)
        }
        rouse(summoned)
        return next
    }

    /// Fills the group. Returns the key that the connection now holds.
    private func fill(_ group: inout [Request], _ state: inout State, for connection: Connection) -> Int {
        if state.waiting.isEmpty { return 0 }
        guard lane.sharing == .shared else {
            let slots = state.slots
            state.waiting.takeOne(&group, for: connection) { key in slots.contains { $0.key == key } }
            return group.first?.key ?? 0
        }
        // If an earlier connection is at work and will soon ask for more, leave the requests to it, so that
        // groups stay whole.
        if !state.slots[..<connection.slot].contains(where: \.takesSoon) {
            state.waiting.takeMany(&group, for: connection, lane: lane)
        }
        guard group.isEmpty, state.mayTrySuspects else { return 0 }
        state.waiting.takeSuspects(&group, for: connection)
        return group.isEmpty ? 0 : Queue.suspectKey
    }

    /// Puts requests that did not run at the head of the queue, for any connection.
    func putBack(_ requests: [Request]) {
        let wanted = requests.filter { $0.putBack() }
        let (summoned, limits) = state.withLock { state -> (Summoned, [Nanoseconds]) in
            state.waiting.putFirst(wanted)
            return (
                wanted.isEmpty ? .nobody : summon(&state), wanted.map { limit(of: $0, state.down?.known) }
            )
        }
        rouse(summoned)
        for limit in limits { deadlines.expect(limit) }
    }

    /// Sends the request again in a moment, after a deadlock or a serialization failure. False if its time or
    /// its retries are used up.
    func retry(_ request: Request) -> Bool {
        let due = Clock.after(Retry.pause())
        guard request.retries < Retry.most, due < request.deadline else { return false }
        guard request.putBack() else { return true }
        request.retries += 1
        state.withLock { state in
            state.delayed.append((due, request))
            state.statistics.retried += 1
        }
        deadlines.expect(due)
        return true
    }

    func noteError(_ refusal: PostgresError.ServerError, of request: Request) {
        let isSuspicious = lane.sharing == .shared && refusal.isTimeout(of: request)
        let hopeless = state.withLock { state -> [Request] in
            state.statistics.errors[String(refusal.sqlState.prefix(2)), default: 0] += 1
            guard isSuspicious else { return [] }
            state.waiting.suspect(request.statements[refusal.statementIndex ?? 0].sql)
            let hopeless = state.waiting.removeSuspects(before: Clock.now() - lane.limits.line.nanoseconds)
            state.statistics.refused += hopeless.count
            return hopeless
        }
        for request in hopeless { request.fail(PostgresError.overloaded) }
    }
}
