import Postgres
import Synchronization

/// Writes items in groups: those that come while one group is written wait for the next, and share its commit.
final class WriteQueue<Item: Sendable>: Sendable {
    private typealias Waiting = (item: Item, done: CheckedContinuation<Void, any Error>)

    private let write: @Sendable ([Item]) async throws -> Void
    private let state = Mutex((waiting: [Waiting](), isWriting: false))
    private let mostAtOnce = 500
    private let mostWaiting = 2_000

    /// - Parameter write: commits a group, or throws and writes nothing.
    init(write: @escaping @Sendable ([Item]) async throws -> Void) {
        self.write = write
    }

    /// How many wait behind the group that is written.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Returns once the item is committed. Throws `WriteQueueFull` at once if too many wait, and the error of the group before if
    /// the database is away or locked.
    func add(_ item: Item) async throws {
        try await withCheckedThrowingContinuation { done in
            let isFirst: Bool? = state.withLock { state in
                guard state.waiting.count < mostWaiting else { return nil }
                state.waiting.append((item, done))
                defer { state.isWriting = true }
                return !state.isWriting
            }
            guard let isFirst else { return done.resume(throwing: WriteQueueFull()) }
            if isFirst { Task { await writeAll() } }
        }
    }

    private func writeAll() async {
        while let group = nextGroup() {
            let result: Result<Void, any Error>
            do {
                result = .success(try await write(group.map(\.item)))
            } catch {
                result = .failure(error)
            }
            for waiting in group { waiting.done.resume(with: result) }
            // Those who wait would wait for the same, one group after the other.
            if case .failure(let error) = result, (error as? PostgresError)?.isOutage == true {
                dropWaiting(error)
            }
        }
    }

    private func dropWaiting(_ error: any Error) {
        let dropped = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiting in dropped { waiting.done.resume(throwing: error) }
    }

    /// Nil if none waits; then the next item starts to write again.
    private func nextGroup() -> [Waiting]? {
        state.withLock { state in
            state.isWriting = !state.waiting.isEmpty
            guard state.isWriting else { return nil }
            let group = Array(state.waiting.prefix(mostAtOnce))
            state.waiting.removeFirst(group.count)
            return group
        }
    }
}

/// Too many items wait.
struct WriteQueueFull: Error {}
