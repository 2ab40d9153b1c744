import Postgres
import Synchronization

/// Reads the values of keys in groups: a key that comes while others are read waits for the next group, and shares its
/// statement.
///
/// A group is read after the last of its keys came, so a value is as fresh as if its key were read alone.
final class ReadQueue<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private typealias Waiting = (key: Key, done: CheckedContinuation<Value?, any Error>)

    private struct State {
        var waiting: [Waiting] = []
        var groupsUnderWay = 0
        var lastBegan = ContinuousClock.now
    }

    private let read: @Sendable ([Key]) async throws -> [Key: Value]
    private let state = Mutex(State())
    /// While one group is read, the answers of the other are taken apart.
    private let mostUnderWay = 2
    private let mostAtOnce = 100
    private let patience: Duration

    /// How many wait for the next group.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// - Parameters:
    ///   - patience: how long groups may stand still before another begins beside them.
    ///   - read: is given each key once; what has no value is not in its answer.
    init(
        patience: Duration = .milliseconds(50),
        read: @escaping @Sendable ([Key]) async throws -> [Key: Value]
    ) {
        (self.patience, self.read) = (patience, read)
    }

    /// Nil if the key has none.
    func value(of key: Key) async throws -> Value? {
        try await withCheckedThrowingContinuation { done in
            let group = state.withLock { state in
                state.waiting.append((key, done))
                return nextGroup(&state)
            }
            if let group { Task { await readAll(group) } }
        }
    }

    /// Nil if none may begin.
    private func nextGroup(_ state: inout State) -> [Waiting]? {
        guard !state.waiting.isEmpty else { return nil }
        let now = ContinuousClock.now
        guard state.groupsUnderWay < mostUnderWay || now - state.lastBegan > patience else { return nil }
        state.groupsUnderWay += 1
        state.lastBegan = now
        let group = Array(state.waiting.prefix(mostAtOnce))
        state.waiting.removeFirst(group.count)
        return group
    }

    /// Goes on with the groups that formed meanwhile.
    private func readAll(_ first: [Waiting]) async {
        var group: [Waiting]? = first
        while let next = group {
            await answer(next)
            group = state.withLock { state in
                state.groupsUnderWay -= 1
                return nextGroup(&state)
            }
        }
    }

    private func answer(_ group: [Waiting]) async {
        do {
            let values = try await read(Array(Set(group.map(\.key))))
            for waiting in group { waiting.done.resume(returning: values[waiting.key]) }
        } catch let error where group.count == 1 || (error as? PostgresError)?.isOutage == true {
            for waiting in group { waiting.done.resume(throwing: error) }
        } catch {
            // One of them is broken, and the others need not know.
            for waiting in group { await answer([waiting]) }
        }
    }
}
