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

    /// Returns once the item is committed. Throws `WriteQueueFull` at once if too many wait.
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
        }
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
