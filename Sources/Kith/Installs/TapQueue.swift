import Synchronization

/// Writes taps in groups: those that come while one group is written wait for the next.
final class TapQueue: Sendable {
    private typealias Tap = (install: Install, done: CheckedContinuation<Void, any Error>)

    private let store: InstallStore
    private let state = Mutex((waiting: [Tap](), isWriting: false))
    private static let mostAtOnce = 500
    private static let mostWaiting = 2_000

    init(store: InstallStore) {
        self.store = store
    }

    /// Too many taps wait.
    struct Full: Error {}

    /// Returns once the tap is committed. Throws `Full` at once if too many wait.
    func leave(_ install: Install) async throws {
        try await withCheckedThrowingContinuation { done in
            let isFirst: Bool? = state.withLock { state in
                guard state.waiting.count < Self.mostWaiting else { return nil }
                state.waiting.append((install, done))
                defer { state.isWriting = true }
                return !state.isWriting
            }
            guard let isFirst else { return done.resume(throwing: Full()) }
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
