public import Testing

/// Lets few tests at once use the processors and PostgreSQL; the others wait their turn. All at once, each would last as
/// long as the whole run, and meet the deadlines that it is about, or not, by chance.
public struct Turns: TestTrait, SuiteTrait, TestScoping {
    private static let places = Places(8)

    public var isRecursive: Bool { true }

    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        await Self.places.take()
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await function()) } catch { outcome = .failure(error) }
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
    /// The suite's tests use a database or a process of Kith.
    public static var inTurns: Self { Self() }
}
