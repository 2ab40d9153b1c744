import Synchronization

/// Writes taps in groups: those that come while one group is written wait for the next.
final class TapQueue: Sendable {
    private typealias Tap = (install: Install, done: CheckedContinuation<Void, any Error>)

    private let store: InstallStore
    private let state = Mutex((waiting: [Tap](), isWriting: false))
    private static let mostAtOnce = 500

    init(store: InstallStore) {
        self.store = store
    }

    /// Returns once the tap is committed.
    func leave(_ install: Install) async throws {
        try await withCheckedThrowingContinuation { done in
            let isFirst = state.withLock { state in
                state.waiting.append((install, done))
                defer { state.isWriting = true }
                return !state.isWriting
            }
            if isFirst { Task { await write() } }
        }
    }

    private func write() async {
        while let group = nextGroup() {
            let result: Result<Void, any Error>
            do {
                result = .success(try await store.leave(group.map(\.install)))
            } catch {
                result = .failure(error)
            }
            for tap in group { tap.done.resume(with: result) }
        }
    }

    /// Nil if none waits; then the next tap starts to write again.
    private func nextGroup() -> [Tap]? {
        state.withLock { state in
            state.isWriting = !state.waiting.isEmpty
            guard state.isWriting else { return nil }
            let group = Array(state.waiting.prefix(Self.mostAtOnce))
            state.waiting.removeFirst(group.count)
            return group
        }
    }
}
