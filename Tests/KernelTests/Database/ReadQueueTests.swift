import Synchronization
import TestSupport
import Testing

@testable import Kernel
@testable import Postgres

/// Who waits for a read while others are read.
@Suite struct ReadQueueTests {
    /// A database that holds its first groups until it is told what becomes of them, and answers the others
    /// at once: each key has ten times itself, but odd ones above 100 are broken.
    private final class Held: Sendable {
        private struct State {
            var groups: [[Int]] = []
            var held: [CheckedContinuation<Void, any Error>] = []
            var factor = 10
        }
        private let state = Mutex(State())
        private let count: Int

        /// - Parameter count: how many groups it holds.
        init(_ count: Int) {
            self.count = count
        }

        struct Broken: Error {}

        /// Sorted, in the order in which they began.
        var groups: [[Int]] { state.withLock { $0.groups } }

        @Sendable func read(_ keys: [Int]) async throws -> [Int: Int] {
            let (place, factor) = state.withLock { state in
                state.groups.append(keys.sorted())
                return (state.groups.count, state.factor)
            }
            if place <= count {
                try await withCheckedThrowingContinuation { done in state.withLock { $0.held.append(done) } }
            }
            if keys.contains(where: { $0 > 100 && $0 % 2 == 1 }) { throw Broken() }
            return Dictionary(uniqueKeysWithValues: keys.filter { $0 != 0 }.map { ($0, $0 * factor) })
        }

        /// From now on each key has so many times itself.
        func change(to factor: Int) { state.withLock { $0.factor = factor } }

        func letGo(_ error: (any Error)? = nil) {
            let held = state.withLock { state in
                defer { state.held = [] }
                return state.held
            }
            for done in held { if let error { done.resume(throwing: error) } else { done.resume() } }
        }

        func letGoFirst(_ error: any Error) {
            state.withLock { $0.held.removeFirst() }.resume(throwing: error)
        }

        func areHeld(_ count: Int) -> Bool { state.withLock { $0.held.count == count } }
    }

    private let held = Held(1)

    private func makeQueue(
        _ held: Held? = nil, patience: Duration = .seconds(600), stall: Duration = .seconds(600)
    ) -> ReadQueue<Int, Int> {
        let held = held ?? self.held
        return ReadQueue(patience: patience, stall: stall) { try await held.read($0) }
    }

    /// What the key 1 gets, and each of these keys that come while it is read; nil: an error.
    private func answers(
        to keys: [Int], in queue: ReadQueue<Int, Int>, meanwhile: () async throws -> Void,
        error: (any Error)? = nil
    ) async throws -> (first: Int?, later: [Int??]) {
        func ask(_ key: Int) -> Task<Int?, any Error> { Task { try await queue.value(of: key) } }
        let first = ask(1)
        try await waitUntil("one is on its way") { held.areHeld(1) }
        let later = keys.map(ask)
        try await waitUntil("the others wait") { queue.waitingCount == keys.count }
        try await meanwhile()
        held.letGo(error)
        var answers: (first: Int?, later: [Int??]) = (try? await first.value, [])
        for task in later { answers.later.append(try? await task.value) }
        return answers
    }

    @Test
    func `those who wait are read together, each key once, and none is answered by a read that began before`()
        async throws
    {
        let queue = makeQueue()
        let answers = try await answers(to: [3, 4, 3, 0, 1], in: queue, meanwhile: { held.change(to: 20) })
        #expect(answers.first == 10)
        #expect(answers.later == [60, 80, 60, .some(nil), 20])
        #expect(held.groups == [[1], [0, 1, 3, 4]])
    }

    @Test func `a broken key fails alone`() async throws {
        let queue = makeQueue()
        let answers = try await answers(to: [3, 101, 4, 3, 101], in: queue, meanwhile: {})
        #expect(answers.later == [30, nil, 40, 30, nil])
        // Each once, however many asked for it.
        #expect(held.groups.count == 5)
        #expect(Set(held.groups.dropFirst()) == [[3, 4, 101], [3], [101], [4]])
    }

    @Test func `who may read from a standby shares with nobody`() async throws {
        let held = Held(3)
        let queue = makeQueue(held)
        let readers = (0..<3).map { _ in
            Freshness.$current.withValue(Freshness(maxAge: .seconds(1), after: nil)) {
                Task { try await queue.value(of: 3) }
            }
        }
        try await waitUntil("each asks by itself") { held.areHeld(3) }
        held.letGo()
        for reader in readers { #expect(try await reader.value == 30) }
    }

    @Test(arguments: [
        PostgresError.unavailable(reason: "away"), .timedOut(mayHaveCommitted: false), .overloaded,
        .server(.init(sqlState: "55P03", message: "locked")),
    ])
    func `what fails while others wait fails for none of them`(error: PostgresError) async throws {
        let answers = try await answers(to: [3, 4], in: makeQueue(), meanwhile: {}, error: error)
        #expect(answers.first == nil)
        #expect(answers.later == [30, 40])
    }

    @Test(arguments: [
        (PostgresError.unavailable(reason: "away"), 1),
        (.server(.init(sqlState: "55P03", message: "locked")), 1),
        (.server(.init(sqlState: "XX000", message: "a node is away")), 3),
    ])
    func `those who share a read share what all reads would meet now, and nothing else`(
        error: PostgresError, reads: Int
    ) async throws {
        let held = Held(2)
        let queue = makeQueue(held)
        let first = Task { try await queue.value(of: 1) }
        try await waitUntil("one is on its way") { held.areHeld(1) }
        let both = [3, 4].map { key in Task { try await queue.value(of: key) } }
        try await waitUntil("the others wait") { queue.waitingCount == 2 }
        held.letGo()
        try await waitUntil("they are on their way") { held.areHeld(1) }
        held.letGo(error)
        #expect(try await first.value == 10)
        let answers = await [try? both[0].value, try? both[1].value]
        #expect(answers == (reads == 1 ? [nil, nil] : [30, 40]))
        #expect(held.groups.count == 1 + reads)
    }

    @Test func `if a node of a cluster is away, only those fail whose keys it has`() async throws {
        let queue = makeQueue()
        let answers = try await answers(
            to: [3], in: queue, meanwhile: {},
            error: PostgresError.server(.init(sqlState: "XX000", message: "")))
        #expect(answers.first == nil)
        #expect(answers.later == [30])
    }

    @Test func `if too many wait, the next one is refused at once, and counted`() async throws {
        let (held, refused) = (held, Counter())
        let queue = ReadQueue<Int, Int>(patience: .seconds(600), refused: refused.add) {
            try await held.read($0)
        }
        let keys = Array(stride(from: 200, to: 4_200, by: 2))
        let answers = try await answers(
            to: keys, in: queue,
            meanwhile: { await #expect(throws: PostgresError.self) { try await queue.value(of: 2) } })
        #expect(answers.later == keys.map { $0 * 10 })
        #expect(refused.count == 1)
    }

    private final class Counter: Sendable {
        private let state = Mutex(0)
        var count: Int { state.withLock { $0 } }
        @Sendable func add() { state.withLock { $0 += 1 } }
    }

    @Test func `reads that stand still do not hold up those who come later`() async throws {
        let held = Held(2)
        let queue = makeQueue(held, patience: .milliseconds(50))
        let still = Task { try await queue.value(of: 1) }
        try await waitUntil("one stands still") { held.areHeld(1) }
        try await Task.sleep(for: .milliseconds(60))
        let another = Task { try await queue.value(of: 2) }
        try await waitUntil("two stand still") { held.areHeld(2) }
        try await Task.sleep(for: .milliseconds(60))
        #expect(try await queue.value(of: 3) == 30)
        held.letGo()
        for task in [still, another] { _ = try await task.value }
    }

    @Test func `who waits for a read that stands still overtakes it, though nobody else comes`() async throws
    {
        let queue = makeQueue(patience: .milliseconds(50))
        let still = Task { try await queue.value(of: 1) }
        try await waitUntil("one stands still") { held.areHeld(1) }
        let both = [2, 3].map { key in Task { try await queue.value(of: key) } }
        #expect(try await both[0].value == 20)
        #expect(try await both[1].value == 30)
        #expect(held.areHeld(1))
        held.letGo()
        #expect(try await still.value == 10)
    }

    @Test func `one read that stands still for long refuses nobody while others are answered`() async throws {
        let queue = makeQueue(patience: .milliseconds(20), stall: .milliseconds(50))
        let still = Task { try await queue.value(of: 1) }
        try await waitUntil("one stands still") { held.areHeld(1) }
        for key in 2...4 {
            try await Task.sleep(for: .milliseconds(80))
            #expect(try await queue.value(of: key) == key * 10)
        }
        held.letGo()
        #expect(try await still.value == 10)
    }

    @Test func `who comes while nothing is read is read alone`() async throws {
        let queue = makeQueue(Held(0))
        #expect(try await queue.value(of: 1) == 10)
        #expect(try await queue.value(of: 2) == 20)
    }

    @Test func `while the database stands still, who comes is refused at once, but for one who tries`()
        async throws
    {
        let held = Held(3)
        let queue = makeQueue(held, patience: .milliseconds(20), stall: .seconds(2))
        var still: [Task<Int?, any Error>] = []
        for key in 1...3 {
            if key == 3 { try await Task.sleep(for: .milliseconds(2200)) }
            still.append(Task { try await queue.value(of: key) })
            try await waitUntil("\(key) stand still") { held.areHeld(key) }
            try await Task.sleep(for: .milliseconds(30))
        }
        await #expect(throws: PostgresError.self) { try await queue.value(of: 4) }
        held.letGo()
        for (key, task) in zip(1...3, still) { #expect(try await task.value == key * 10) }
        #expect(try await queue.value(of: 4) == 40)
    }

    @Test func `who come together after one read stood still for long are answered`() async throws {
        let queue = makeQueue(patience: .milliseconds(20), stall: .milliseconds(50))
        let still = Task { try await queue.value(of: 1) }
        try await waitUntil("one stands still") { held.areHeld(1) }
        try await Task.sleep(for: .milliseconds(150))
        let all = (2...6).map { key in Task { try await queue.value(of: key) } }
        for (key, task) in zip(2...6, all) { #expect(try await task.value == key * 10) }
        held.letGo()
        #expect(try await still.value == 10)
    }

    @Test func `reads that failed together, however long ago, keep nobody from a database that works again`()
        async throws
    {
        let held = Held(3)
        let queue = makeQueue(held, patience: .milliseconds(20), stall: .milliseconds(100))
        var failing: [Task<Int?, any Error>] = []
        for key in 1...2 {
            failing.append(Task { try await queue.value(of: key) })
            try await waitUntil("\(key) are held") { held.areHeld(key) }
            try await Task.sleep(for: .milliseconds(30))
        }
        held.letGo(PostgresError.timedOut(mayHaveCommitted: false))
        for task in failing { await #expect(throws: PostgresError.self) { try await task.value } }
        try await Task.sleep(for: .milliseconds(150))
        let all = (3...12).map { key in Task { try await queue.value(of: key) } }
        try await waitUntil("one is held") { held.areHeld(1) }
        // The others come meanwhile.
        try await Task.sleep(for: .milliseconds(50))
        held.letGo()
        for (key, task) in zip(3...12, all) { #expect(try await task.value == key * 10) }
    }

    @Test func `a visitor who goes away while the database stands still is no answer of it`() async throws {
        let held = Held(3)
        let queue = makeQueue(held, patience: .milliseconds(20), stall: .seconds(2))
        var still: [Task<Int?, any Error>] = []
        for key in 1...3 {
            still.append(Task { try await queue.value(of: key) })
            try await waitUntil("\(key) are held") { held.areHeld(key) }
            try await Task.sleep(for: .milliseconds(key == 2 ? 2200 : 30))
        }
        held.letGoFirst(CancellationError())
        _ = await still[0].result
        await #expect(throws: PostgresError.self) { try await queue.value(of: 4) }
        held.letGo()
        for task in still.dropFirst() { _ = try await task.value }
    }

    @Test func `more than a group holds are read one group after the other`() async throws {
        let queue = makeQueue()
        let keys = Array(stride(from: 200, to: 700, by: 2))
        let answers = try await answers(to: keys, in: queue, meanwhile: {})
        #expect(answers.later == keys.map { $0 * 10 })
        #expect(held.groups.dropFirst().map(\.count).max() == 100)
    }
}
