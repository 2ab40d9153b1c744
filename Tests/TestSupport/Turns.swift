public import Testing

/// Runs only a few tests at once; the others wait for their turn. If all ran at once, each would take as long as the whole
/// run, and meet its deadlines or miss them by chance.
public struct Turns: TestTrait, SuiteTrait, TestScoping {
    private static let places = Places(TestPostgres.isOnCitus ? 4 : 8)

    public var isRecursive: Bool { true }

    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        await Self.places.take()
        let databases = Databases()
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(try await Databases.$ofTest.withValue(databases) { try await function() })
        } catch {
            outcome = .failure(error)
        }
        await databases.discard()
        await Self.places.giveBack()
        try outcome.get()
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
