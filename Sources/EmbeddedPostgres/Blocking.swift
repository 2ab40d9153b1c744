internal import Dispatch

/// Runs blocking calls outside of Swift's own threads.
enum Blocking {
    static func run<T: Sendable>(
        on queue: DispatchQueue = .global(), _ work: @escaping @Sendable () throws -> T
    ) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try work() }) }
        }
    }
}
