internal import Foundation
public import Testing

/// Runs only a few tests at once; the others wait for their turn. If all ran at once, each would take as long
/// as the whole run, and meet its deadlines or miss them by chance.
///
/// With `KITH_TEST_TIMES`, a path, it appends a line to that file for each test case: its own milliseconds,
/// and its name. Swift Testing counts the waiting, too.
public struct Turns: TestTrait, SuiteTrait, TestScoping {
    private static let places = Places(TestPostgres.isOnCitus ? 4 : 8)

    public var isRecursive: Bool { true }

    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        await Self.places.take()
        let databases = Databases()
        let began = ContinuousClock.now
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(try await Databases.$ofTest.withValue(databases) { try await function() })
        } catch {
            outcome = .failure(error)
        }
        await databases.discard()
        Self.record(ContinuousClock.now - began, of: test)
        await Self.places.giveBack()
        try outcome.get()
    }

    private static func record(_ time: Duration, of test: Test) {
        guard let path = ProcessInfo.processInfo.environment["KITH_TEST_TIMES"],
            let file = fopen(path, "a")
        else { return }
        fputs("\(Int(time / .milliseconds(1)))\t\(test.id)\n", file)
        fclose(file)
    }

    private actor Places {
        private var free: Int
        private var waiting: [CheckedContinuation<Void, Never>] = []

        init(_ count: Int) {
            free = count
        }

        func take() async {
            if free > 0 {
                free -= 1
            } else {
                await withCheckedContinuation { waiting.append($0) }
            }
        }

        func giveBack() {
            if waiting.isEmpty {
                free += 1
            } else {
                waiting.removeFirst().resume()
            }
        }
    }
}

extension Trait where Self == Turns {
    /// For suites whose tests use a database or a process of Kith.
    public static var inTurns: Self { Self() }
}
