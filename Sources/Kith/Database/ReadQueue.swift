import Postgres
import Synchronization

/// Reads the values of keys in groups: a key that comes while others are read waits for the next group, and shares its
/// statement.
///
/// A group is read after the last of its keys came, so a value is as fresh as if its key were read alone. A task that may read
/// from standbys shares with nobody, since each has its own choice of one.
final class ReadQueue<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private typealias Waiting = (key: Key, done: CheckedContinuation<Value?, any Error>)

    private struct State {
        var waiting: [Waiting] = []
        var groupsUnderWay = 0
        var lastBegan = ContinuousClock.now
        /// Since when groups are under way and none was answered.
        var quietSince = ContinuousClock.now
    }

    private let read: @Sendable ([Key]) async throws -> [Key: Value]
    private let state = Mutex(State())
    /// Two side by side would be smaller, and cost more: see bench/README.md.
    private let mostUnderWay = 1
    private let mostAtOnce = 100
    private let mostWaiting = 2_000
    private let patience: Duration
    private let stall: Duration

    /// - Parameters:
    ///   - patience: how long groups may stand still before another begins beside them.
    ///   - stall: how long groups may be under way, and none answered, before who comes is refused.
    ///   - read: is given each key once; what has no value is not in its answer.
    init(
        patience: Duration = .milliseconds(50), stall: Duration = .seconds(1),
        read: @escaping @Sendable ([Key]) async throws -> [Key: Value]
    ) {
        (self.patience, self.stall, self.read) = (patience, stall, read)
    }

    /// How many wait for the next group.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Nil if the key has none. Throws `overloaded` at once if too many wait or the database stands still, and the error of the
    /// group before if the database is away, too busy, or its tables are locked. A cancelled task may wait for its value, too.
    func value(of key: Key) async throws -> Value? {
        if Database.mayAskStandbys { return try await read([key])[key] }
        if beginsAlone() { return try await readAlone(key) }
        return try await withCheckedThrowingContinuation { done in
            let (isIn, group) = state.withLock { state -> (Bool, [Waiting]?) in
                guard !isStalled(state), state.waiting.count < mostWaiting else { return (false, nil) }
                state.waiting.append((key, done))
                return (true, nextGroup(&state))
            }
            guard isIn else { return done.resume(throwing: PostgresError.overloaded) }
            // Detached: the group is not only of this caller.
            if let group { Task.detached { await self.readAll(group) } }
        }
    }

    /// Whether a group of one key begins, which its caller reads without a task for the group.
    private func beginsAlone() -> Bool {
        state.withLock { state in
            state.waiting.isEmpty && !isStalled(state) && begin(&state)
        }
    }

    private func isStalled(_ state: State) -> Bool {
        state.groupsUnderWay > 0 && ContinuousClock.now - state.quietSince > stall
    }

    private func readAlone(_ key: Key) async throws -> Value? {
        defer {
            if let group = state.withLock({ end(&$0) }) { Task.detached { await self.readAll(group) } }
        }
        do {
            return try await read([key])[key]
        } catch let error as PostgresError where error.isOfAllReads {
            dropWaiting(error)
            throw error
        }
    }

    /// Nil if none may begin.
    private func nextGroup(_ state: inout State) -> [Waiting]? {
        guard !state.waiting.isEmpty, begin(&state) else { return nil }
        let group = Array(state.waiting.prefix(mostAtOnce))
        state.waiting.removeFirst(group.count)
        return group
    }

    /// False if enough groups are under way.
    private func begin(_ state: inout State) -> Bool {
        let now = ContinuousClock.now
        guard state.groupsUnderWay < mostUnderWay || now - state.lastBegan > patience else { return false }
        if state.groupsUnderWay == 0 { state.quietSince = now }
        state.groupsUnderWay += 1
        state.lastBegan = now
        return true
    }

    /// Ends a group, and begins the next one.
    private func end(_ state: inout State) -> [Waiting]? {
        state.groupsUnderWay -= 1
        state.quietSince = .now
        return nextGroup(&state)
    }

    /// Goes on with the groups that formed meanwhile.
    private func readAll(_ first: [Waiting]) async {
        var group: [Waiting]? = first
        while let next = group {
            await answer(next)
            group = state.withLock { end(&$0) }
        }
    }

    private func answer(_ group: [Waiting]) async {
        do {
            let values = try await read(group.count == 1 ? [group[0].key] : Array(Set(group.map(\.key))))
            for waiting in group { waiting.done.resume(returning: values[waiting.key]) }
        } catch let error as PostgresError where error.isOfAllReads {
            for waiting in group { waiting.done.resume(throwing: error) }
            dropWaiting(error)
        } catch let error where group.count == 1 {
            group[0].done.resume(throwing: error)
        } catch {
            // One of them is broken, or its node of a cluster, and the others need not know.
            await withDiscardingTaskGroup { tasks in
                for waiting in group { tasks.addTask { await self.answer([waiting]) } }
            }
        }
    }

    /// Those who wait would wait for the same, one group after the other.
    private func dropWaiting(_ error: any Error) {
        let dropped = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiting in dropped { waiting.done.resume(throwing: error) }
    }
}

extension PostgresError {
    /// Whether any other read of the same tables would fail alike, and not only this one.
    fileprivate var isOfAllReads: Bool {
        // A table is locked.
        if case .server(let refusal) = self { refusal.sqlState == "55P03" } else { isOutage }
    }
}
