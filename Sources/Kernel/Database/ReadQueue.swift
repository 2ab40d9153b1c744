import Postgres
import Synchronization
import Web

/// Reads the values of keys in groups. A key that comes while others are read waits for the next group, and
/// shares its statement.
///
/// A group is read after the last of its keys came, so a value is as fresh as if its key were read alone.
/// Nobody waits long for the reads of others: a group that takes longer than `patience` is overtaken, and its
/// result concerns only those in it. A task that may read from standbys shares with nobody, since each task
/// chooses its own standby.
// The type is public because the compiler specializes only public generics for other targets, and none that
// name the driver: `DriverWords` does so for it.
public final class ReadQueue<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private typealias Waiting = (key: Key, done: CheckedContinuation<Value?, any Error>)

    private struct Group {
        var number: Int
        var members: [Waiting]
    }

    private struct State {
        var waiting: [Waiting] = []
        /// The group that began last, for which the others wait. Nil if it ended, so that nobody needs to
        /// wait.
        var newest: Int?
        var last = 0
        var lastBegan = ContinuousClock.now
        /// How many groups began and have not ended, including overtaken ones.
        var underWay = 0
        /// When the current stall may have begun: since then at least two groups are under way and none was
        /// answered. Nil otherwise. One group alone may be stuck by itself, and groups that ended with an
        /// error say nothing about the next.
        var quietSince: ContinuousClock.Instant?
        /// Whether a task begins the next group if the newest one takes too long.
        var isWatched = false
    }

    private enum Admission {
        case refused
        case begins(Group)
        case waits(isFirst: Bool)
    }

    private let refused: @Sendable () -> Void
    private let read: @Sendable ([Key]) async throws -> [Key: Value]
    private let state = Mutex(State())
    private let mostAtOnce = 100
    private let mostWaiting = 2_000
    private let patience: Duration
    private let stall: Duration

    /// - Parameters:
    ///   - patience: how long a group may take before another begins beside it. While at most 100 wait and
    ///     the database does not stand still, everybody's group begins within twice as long.
    ///   - stall: how long at least two groups may be under way, with none answered, before further reads are
    ///     refused. After each `stall` one read is tried.
    ///   - refused: is called for each read that is refused.
    ///   - read: gets each key once. A key without a value is missing in its answer.
    public init(
        patience: Duration = .milliseconds(50), stall: Duration = .seconds(1),
        refused: @escaping @Sendable () -> Void = {},
        read: @escaping @Sendable ([Key]) async throws -> [Key: Value]
    ) {
        (self.patience, self.stall, self.refused, self.read) = (patience, stall, refused, read)
    }

    /// How many reads wait for the next group.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Returns a key's value. Nil if it has none. Throws `overloaded` at once if too many wait or the
    /// database stands still. A cancelled task may still wait for its value.
    public func value(of key: Key) async throws -> Value? {
        if DriverWords.mayAskStandbys { return try await read([key])[key] }
        if let number = beginAlone() { return try await readAlone(key, number) }
        return try await withCheckedThrowingContinuation { done in
            switch state.withLock({ admit((key, done), &$0) }) {
            case .refused:
                refused()
                done.resume(throwing: DriverWords.overloaded)
            // The task is detached because the group belongs to other callers too.
            case .begins(let group): Task.detached { await self.readAll(group) }
            case .waits(let isFirst): if isFirst { Task.detached { await self.watch() } }
            }
        }
    }

    /// Begins a group of one key, which its caller reads without a task for the group. Returns its number.
    /// Nil if others wait, or the newest group may still end in time.
    private func beginAlone() -> Int? {
        state.withLock { state in
            guard state.waiting.isEmpty else { return nil }
            let now = ContinuousClock.now
            return mayBegin(state, at: now) ? begin(&state, at: now) : nil
        }
    }

    private func admit(_ one: Waiting, _ state: inout State) -> Admission {
        let now = ContinuousClock.now
        guard state.waiting.count < mostWaiting, mayBegin(state, at: now) || !isStalled(state, at: now) else {
            return .refused
        }
        state.waiting.append(one)
        if let group = nextGroup(&state, at: now) { return .begins(group) }
        defer { state.isWatched = true }
        return .waits(isFirst: !state.isWatched)
    }

    private func readAlone(_ key: Key, _ number: Int) async throws -> Value? {
        var wasAnswered = true
        defer {
            if let group = end(number, wasAnswered: wasAnswered) {
                Task.detached { await self.readAll(group) }
            }
        }
        do {
            return try await read([key])[key]
        } catch {
            wasAnswered = DriverWords.isFromDatabase(error)
            throw error
        }
    }

    /// Begins a group of those who wait. Nil if nobody waits, or the newest group may still end in time.
    private func nextGroup(_ state: inout State, at now: ContinuousClock.Instant) -> Group? {
        guard !state.waiting.isEmpty, mayBegin(state, at: now) else { return nil }
        let members = Array(state.waiting.prefix(mostAtOnce))
        state.waiting.removeFirst(members.count)
        return Group(number: begin(&state, at: now), members: members)
    }

    private func mayBegin(_ state: State, at now: ContinuousClock.Instant) -> Bool {
        guard state.newest != nil else { return true }
        return now - state.lastBegan > (isStalled(state, at: now) ? stall : patience)
    }

    /// Whether the database answers nothing any more.
    private func isStalled(_ state: State, at now: ContinuousClock.Instant) -> Bool {
        state.quietSince.map { now - $0 > stall } ?? false
    }

    /// Begins a group and returns its number.
    private func begin(_ state: inout State, at now: ContinuousClock.Instant) -> Int {
        state.underWay += 1
        if state.underWay > 1, state.quietSince == nil { state.quietSince = now }
        state.last += 1
        (state.newest, state.lastBegan) = (state.last, now)
        return state.last
    }

    /// Ends a group, with an answer or without. Returns the next one, if it waited for this.
    private func end(_ number: Int, wasAnswered: Bool) -> Group? {
        state.withLock { state in
            state.underWay -= 1
            // If others are still under way, the time counts anew from the next group that begins beside
            // them.
            if wasAnswered || state.underWay < 2 { state.quietSince = nil }
            guard state.newest == number else { return nil }
            state.newest = nil
            // Mostly nobody waits. Then not even the clock is read.
            return state.waiting.isEmpty ? nil : nextGroup(&state, at: .now)
        }
    }

    /// Reads a group, and then the groups that formed meanwhile.
    private func readAll(_ first: Group) async {
        var group: Group? = first
        while let next = group {
            let wasAnswered = await answer(next.members)
            group = end(next.number, wasAnswered: wasAnswered)
        }
    }

    /// Lets those who wait overtake a group that takes too long.
    private func watch() async {
        var isNeeded = true
        while isNeeded {
            try? await Task.sleep(for: patience)
            let group = state.withLock { state in
                let group = nextGroup(&state, at: .now)
                state.isWatched = !state.waiting.isEmpty
                isNeeded = state.isWatched
                return group
            }
            if let group { Task.detached { await self.readAll(group) } }
        }
    }

    /// Reads a group and answers its callers. Returns whether the database answered any of them.
    private func answer(_ group: [Waiting]) async -> Bool {
        let keys = group.count == 1 ? [group[0].key] : Array(Set(group.map(\.key)))
        do {
            let values = try await read(keys)
            for waiting in group { waiting.done.resume(returning: values[waiting.key]) }
            return true
        } catch let error where keys.count == 1 || DriverWords.isOfAllReads(error) {
            for waiting in group { waiting.done.resume(throwing: error) }
            return DriverWords.isFromDatabase(error)
        } catch {
            // One key's read, or its node of a cluster, fails, and the other keys should not be affected.
            return await withTaskGroup(of: Bool.self) { tasks in
                for alike in Dictionary(grouping: group, by: \.key).values {
                    tasks.addTask { await self.answer(alike) }
                }
                return await tasks.reduce(false) { $0 || $1 }
            }
        }
    }
}

/// What the queue asks the driver.
private enum DriverWords {
    @inline(never) static var mayAskStandbys: Bool { Database.mayAskStandbys }

    @inline(never) static var overloaded: any Error { PostgresError.overloaded }

    /// Whether the database answered. False for a caller who left before, since then nobody knows.
    @inline(never) static func isFromDatabase(_ error: any Error) -> Bool {
        !((error as? PostgresError)?.isOutage ?? (error is CancellationError))
    }

    /// Whether any other read of the same tables would fail alike at this moment.
    @inline(never) static func isOfAllReads(_ error: any Error) -> Bool {
        switch error as? PostgresError {
        // The table is locked.
        case .server(let refusal)?: refusal.sqlState == "55P03"
        case let error?: error.isOutage
        case nil: false
        }
    }
}
