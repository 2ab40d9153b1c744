import Postgres
import Synchronization
import TestSupport
import Testing

@testable import Kith

/// Who waits for a write while the database fails.
@Suite struct WriteQueueTests {
    /// A database that holds its first group until it is told what becomes of it, and takes the others.
    private final class Held: Sendable {
        private let state = Mutex((groups: [[Int]](), first: CheckedContinuation<Void, any Error>?.none))

        var groups: [[Int]] { state.withLock { $0.groups } }

        @Sendable func write(_ group: [Int]) async throws {
            let isFirst = state.withLock { state in
                state.groups.append(group)
                return state.groups.count == 1
            }
            guard isFirst else { return }
            try await withCheckedThrowingContinuation { first in state.withLock { $0.first = first } }
        }

        func fail(with error: any Error) async throws {
            try await waitUntil("the first group is written") { state.withLock { $0.first } != nil }
            state.withLock { $0.first }?.resume(throwing: error)
        }
    }

    /// How many of seven items are written, of which six wait while the first fails with an error.
    private func written(_ error: any Error) async throws -> (items: Int, groups: [[Int]]) {
        let held = Held()
        let queue = WriteQueue { try await held.write($0) }
        let items = try await withThrowingTaskGroup(of: Bool.self) { tasks in
            func add(_ item: Int) {
                tasks.addTask {
                    do {
                        try await queue.add(item)
                        return true
                    } catch { return false }
                }
            }
            add(0)
            try await waitUntil("one is on its way") { held.groups.count == 1 }
            for item in 1...6 { add(item) }
            try await waitUntil("six wait") { queue.waitingCount == 6 }
            try await held.fail(with: error)
            return try await tasks.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        try await queue.add(7)
        return (items, held.groups.map { $0.sorted() })
    }

    @Test(arguments: [
        PostgresError.unavailable(reason: "away"), .timedOut(mayHaveCommitted: false), .overloaded,
        .connectionLost(mayHaveCommitted: true),
    ])
    func `if the database is away, those who wait fail at once, and the next item is tried again`(
        error: PostgresError
    ) async throws {
        let (items, groups) = try await written(error)
        #expect(items == 0 && groups == [[0], [7]])
    }

    @Test func `an error of one group is not that of those who wait`() async throws {
        let (items, groups) = try await written(PostgresError.decoding(column: "x", reason: "no number"))
        #expect(items == 6 && groups == [[0], [1, 2, 3, 4, 5, 6], [7]])
    }
}
