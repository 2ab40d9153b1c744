import Postgres
import Synchronization

/// Reads the values of keys in groups: a key that comes while others are read waits for the next group, and shares its
/// statement.
///
/// A group is read after the last of its keys came, so a value is as fresh as if its key were read alone. Nobody waits long for
/// the reads of others: a group that takes longer than `patience` is overtaken, and what becomes of it concerns only those in it.
/// A task that may read from standbys shares with nobody, since each has its own choice of one.
final class ReadQueue<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private typealias Waiting = (key: Key, done: CheckedContinuation<Value?, any Error>)

    private struct Group {
        var number: Int
        var members: [Waiting]
    }

    private struct State {
        var waiting: [Waiting] = []
        /// The group for which the others wait; nil: nobody needs to wait.
        var current: Int?
        var last = 0
        var lastBegan = ContinuousClock.now
        /// How many began since one was answered.
        var unanswered = 0
        /// Since when at least two are unanswered: one alone may be stuck by itself.
        var quietSince = ContinuousClock.now
        /// Whether a task begins the next group if the current one takes too long.
        var isWatched = false
    }

    private enum Place {
        case refused
        case begins(Group)
        case waits(isFirst: Bool)
    }

    private let read: @Sendable ([Key]) async throws -> [Key: Value]
    private let state = Mutex(State())
    private let mostAtOnce = 100
    private let mostWaiting = 2_000
    private let patience: Duration
    private let stall: Duration

    /// - Parameters:
    ///   - patience: how long a group may take before another begins beside it. Nobody waits longer than twice as long.
    ///   - stall: how long two groups may be under way, and none answered, before who comes is refused; but each `stall` one
    ///     tries.
    ///   - read: is given each key once; what has no value is not in its answer.
    init(
        patience: Duration = .milliseconds(50), stall: Duration = .seconds(1),
        read: @escaping @Sendable ([Key]) async throws -> [Key: Value]
    ) {
        (self.patience, self.stall, self.read) = (patience, stall, read)
    }

    /// How many wait for the next group.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Nil if the key has none. Throws `overloaded` at once if too many wait or the database stands still. A cancelled task may wait
    /// for its value, too.
    func value(of key: Key) async throws -> Value? {
        if Database.mayAskStandbys { return try await read([key])[key] }
        if let number = beginsAlone() { return try await readAlone(key, number) }
        return try await withCheckedThrowingContinuation { done in
            switch state.withLock({ place((key, done), &$0) }) {
            case .refused: done.resume(throwing: PostgresError.overloaded)
            // Detached: the group is not only of this caller.
            case .begins(let group): Task.detached { await self.readAll(group) }
            case .waits(let isFirst): if isFirst { Task.detached { await self.watch() } }
            }
        }
    }

    /// The number of a group of one key, which its caller reads without a task for the group; nil: none begins.
    private func beginsAlone() -> Int? {
        state.withLock { state in state.waiting.isEmpty ? begin(&state) : nil }
    }

    private func place(_ one: Waiting, _ state: inout State) -> Place {
        guard state.waiting.count < mostWaiting else { return .refused }
        state.waiting.append(one)
        if let group = nextGroup(&state) { return .begins(group) }
        if isStill(state, at: .now) {
            state.waiting.removeLast()
            return .refused
        }
        defer { state.isWatched = true }
        return .waits(isFirst: !state.isWatched)
    }

    private func readAlone(_ key: Key, _ number: Int) async throws -> Value? {
        let result: Result<Value?, any Error>
        do {
            result = .success(try await read([key])[key])
        } catch {
            result = .failure(error)
        }
        if let group = end(number, wasAnswered: result.isAnswer) {
            Task.detached { await self.readAll(group) }
        }
        return try result.get()
    }

    /// Nil if none may begin.
    private func nextGroup(_ state: inout State) -> Group? {
        guard !state.waiting.isEmpty, let number = begin(&state) else { return nil }
        let members = Array(state.waiting.prefix(mostAtOnce))
        state.waiting.removeFirst(members.count)
        return Group(number: number, members: members)
    }

    /// Whether the database answers nothing any more.
    private func isStill(_ state: State, at now: ContinuousClock.Instant) -> Bool {
        state.unanswered > 1 && now - state.quietSince > stall
    }

    /// The number of a new group; nil: the current one may still end in time.
    private func begin(_ state: inout State) -> Int? {
        let now = ContinuousClock.now
        let pause = isStill(state, at: now) ? stall : patience
        guard state.current == nil || now - state.lastBegan > pause else { return nil }
        state.unanswered += 1
        if state.unanswered <= 2 { state.quietSince = now }
        state.last += 1
        (state.current, state.lastBegan) = (state.last, now)
        return state.last
    }

    /// Ends a group. Returns the next one, if it waited for this.
    private func end(_ number: Int, wasAnswered: Bool) -> Group? {
        state.withLock { state in
            if wasAnswered { state.unanswered = 0 }
            guard state.current == number else { return nil }
            state.current = nil
            return nextGroup(&state)
        }
    }

    /// Goes on with the groups that formed meanwhile.
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
                let group = nextGroup(&state)
                state.isWatched = !state.waiting.isEmpty
                isNeeded = state.isWatched
                return group
            }
            if let group { Task.detached { await self.readAll(group) } }
        }
    }

    /// Whether the database answered.
    private func answer(_ group: [Waiting]) async -> Bool {
        do {
            let values = try await read(group.count == 1 ? [group[0].key] : Array(Set(group.map(\.key))))
            for waiting in group { waiting.done.resume(returning: values[waiting.key]) }
            return true
        } catch let error where group.count == 1 || error.isOfAllReads {
            for waiting in group { waiting.done.resume(throwing: error) }
            return !error.isOutage
        } catch {
            // One of them is broken, or its node of a cluster, and the others need not know.
            await withDiscardingTaskGroup { tasks in
                for waiting in group { tasks.addTask { _ = await self.answer([waiting]) } }
            }
            return true
        }
    }
}

extension Result {
    /// Whether the database answered.
    fileprivate var isAnswer: Bool {
        if case .failure(let error) = self { !error.isOutage } else { true }
    }
}

extension Error {
    fileprivate var isOutage: Bool { (self as? PostgresError)?.isOutage ?? false }

    /// Whether any other read of the same tables would fail alike at this moment, and not only this one.
    fileprivate var isOfAllReads: Bool {
        switch self as? PostgresError {
        // A table is locked.
        case .server(let refusal)?: refusal.sqlState == "55P03"
        case let error?: error.isOutage
        case nil: false
        }
    }
}
