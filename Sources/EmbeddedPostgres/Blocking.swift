internal import Dispatch

/// Runs what blocks where it does not hold up Swift's own threads.
enum Blocking {
    static func run<T: Sendable>(
        on queue: DispatchQueue = .global(), _ work: @escaping @Sendable () throws -> T
    ) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try work() }) }
        }
    }
}
