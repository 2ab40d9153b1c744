/// Writes taps in groups: those that come while one group is written wait for the next.
actor TapQueue {
    private let store: InstallStore
    private var waiting: [(install: Install, done: CheckedContinuation<Void, any Error>)] = []
    private var isWriting = false
    private static let mostAtOnce = 500

    init(store: InstallStore) {
        self.store = store
    }

    /// Returns once the tap is committed.
    func leave(_ install: Install) async throws {
        try await withCheckedThrowingContinuation { done in
            waiting.append((install, done))
            guard !isWriting else { return }
            isWriting = true
            Task { await write() }
        }
    }

    private func write() async {
        while !waiting.isEmpty {
            let group = Array(waiting.prefix(Self.mostAtOnce))
            waiting.removeFirst(group.count)
            let result: Result<Void, any Error>
            do {
                result = .success(try await store.leave(group.map(\.install)))
            } catch {
                result = .failure(error)
            }
            for tap in group { tap.done.resume(with: result) }
        }
        isWriting = false
    }
}
