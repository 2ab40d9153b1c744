import Synchronization
import Web

/// Works out what people ask of very many rows: the largest answer takes 0.1 s.
package actor QuestionThread {
    package static let shared = QuestionThread()

    private nonisolated let thread = BackgroundThread("questions")
    private nonisolated let waiting = Atomic(0)
    /// The most that wait. They hold their rows in memory.
    private static let most = 16

    package nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    /// Throws a `Problem` if too many wait.
    package nonisolated func run<Answer: Sendable>(
        _ work: @Sendable () throws -> Answer
    ) async throws -> Answer {
        defer { waiting.subtract(1, ordering: .relaxed) }
        guard waiting.add(1, ordering: .relaxed).newValue <= Self.most else { throw Problem.tooSlow }
        return try await perform(work)
    }

    private func perform<Answer: Sendable>(_ work: @Sendable () throws -> Answer) rethrows -> Answer {
        try work()
    }
}
