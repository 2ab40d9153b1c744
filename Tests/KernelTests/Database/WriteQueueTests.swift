import Synchronization
import TestSupport
import Testing

@testable import Kernel
@testable import Postgres

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

        func letGo() async throws {
            try await waitUntil("the first group is written") { state.withLock { $0.first } != nil }
            state.withLock { $0.first }?.resume()
        }

        func fail(with error: any Error) async throws {
            try await waitUntil("the first group is written") { state.withLock { $0.first } != nil }
            state.withLock { $0.first }?.resume(throwing: error)
        }
    }

    /// How many of seven items are written, of which six wait while the first fails with an error.
    private func written(_ error: any Error) async throws -> (items: Int, groups: [[Int]]) {
        let held = Held()
        let queue = WriteQueue(key: { $0 }) { try await held.write($0) }
        let items = try await withThrowingTaskGroup(of: Bool.self) { tasks in
            func add(_ item: Int) { tasks.addTask { await queue.takes(item) } }
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

    /// Which of these items are written that wait together, by an error that each alone and a group with it
    /// gets; their key is their tens. And in which groups they were tried.
    private func written(
        _ items: [Int], _ errors: [Int: PostgresError], locked: Duration = .zero,
        patience: Duration = .seconds(60)
    ) async throws -> (items: Set<Int>, groups: [[Int]]) {
        let held = Held()
        let queue = WriteQueue<Int>(key: { $0 / 10 }, patience: patience) { group in
            try await held.write(group)
            if let error = group.compactMap({ errors[$0 / 10] }).first {
                try await Task.sleep(for: locked)
                throw error
            }
        }
        return try await withThrowingTaskGroup(of: Int?.self) { tasks in
            func add(_ item: Int) { tasks.addTask { await queue.takes(item) ? item : nil } }
            add(0)
            try await waitUntil("one is on its way") { held.groups.count == 1 }
            for item in items { add(item) }
            try await waitUntil("the others wait") { queue.waitingCount == items.count }
            try await held.letGo()
            let written = try await tasks.reduce(into: Set<Int>()) { if let item = $1 { $0.insert(item) } }
            return (written.subtracting([0]), held.groups.map { $0.sorted() })
        }
    }

    @Test(arguments: [
        PostgresError.server(.init(sqlState: "55P03", message: "locked")),
        .server(.init(sqlState: "23503", message: "not there")),
    ])
    func `a row that is locked, or missing, fails only those who write it, and they fail together`(
        error: PostgresError
    ) async throws {
        let (items, groups) = try await written([10, 20, 21, 22, 30, 40, 50, 60], [2: error])
        #expect(items == [10, 30, 40, 50, 60])
        #expect(Set(groups.dropFirst(2)) == [[10], [20, 21, 22], [30], [40], [50], [60]])
    }

    @Test func `many locked rows cost the others of their group a bounded time`() async throws {
        let locked = PostgresError.server(.init(sqlState: "55P03", message: "locked"))
        let keys = Dictionary(uniqueKeysWithValues: (1...100).map { ($0, locked) })
        let (items, groups) = try await written(
            (1...101).map { $0 * 10 }, keys, locked: .milliseconds(200), patience: .milliseconds(400))
        #expect(items.isSubset(of: [1010]))
        #expect(groups.count < 20, "\(groups.count)")
    }

    @Test func `a table that is locked is tried a few times, not once for each item`() async throws {
        let locked = PostgresError.server(.init(sqlState: "55P03", message: "locked"))
        let keys = Dictionary(uniqueKeysWithValues: (1...100).map { ($0, locked) })
        let (items, groups) = try await written((1...100).map { $0 * 10 }, keys)
        #expect(items == [] && groups.count == 2 + 3)
    }

    @Test func `two locked rows of one group cost nothing to those who wait behind it`() async throws {
        let locked = PostgresError.server(.init(sqlState: "55P03", message: "locked"))
        let held = (first: Held(), second: Held())
        let queue = WriteQueue<Int>(key: { $0 }) { group in
            if group == [0] { try await held.first.write(group) }
            if group.count == 2 { try await held.second.write(group) }
            if group.contains(where: [1, 2].contains) { throw locked }
        }
        let written = try await withThrowingTaskGroup(of: Int?.self) { tasks in
            func add(_ item: Int) { tasks.addTask { await queue.takes(item) ? item : nil } }
            add(0)
            try await waitUntil("one is on its way") { held.first.groups.count == 1 }
            for item in [1, 2] { add(item) }
            try await waitUntil("two wait") { queue.waitingCount == 2 }
            try await held.first.letGo()
            try await waitUntil("two are on their way") { held.second.groups.count == 1 }
            add(3)
            try await waitUntil("another waits") { queue.waitingCount == 1 }
            try await held.second.fail(with: locked)
            return try await tasks.reduce(into: Set<Int>()) { if let item = $1 { $0.insert(item) } }
        }
        #expect(written == [0, 3])
    }

    @Test func `if the database goes away while a group is written apart, the rest is given up`() async throws
    {
        let errors: [Int: PostgresError] = [
            1: .server(.init(sqlState: "23503", message: "not there")),
            2: .connectionLost(mayHaveCommitted: false),
        ]
        let (items, groups) = try await written([10] + (0..<50).map { 20 + $0 % 10 }, errors)
        #expect(items == [] && groups.count <= 4)
    }
}

extension WriteQueue {
    /// Whether the item is committed.
    fileprivate func takes(_ item: Item) async -> Bool {
        do {
            try await add(item)
            return true
        } catch { return false }
    }
}
