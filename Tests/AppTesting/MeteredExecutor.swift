import Foundation
import Synchronization

/// Runs tasks one after the other, and measures the processor time that they take, whatever else the process
/// does meanwhile.
final class MeteredExecutor: TaskExecutor {
    private let queue = OperationQueue()
    private let spent = Mutex(0.0)

    init() {
        queue.maxConcurrentOperationCount = 1
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.addOperation { [self] in
            let began = Self.processorTime
            job.runSynchronously(on: asUnownedTaskExecutor())
            let time = Self.processorTime - began
            spent.withLock { $0 += time }
        }
    }

    /// In milliseconds, with what the work returned.
    func measure<Value: Sendable>(
        _ work: @Sendable () async throws -> Value
    ) async throws -> (Double, Value) {
        spent.withLock { $0 = 0 }
        let value = try await withTaskExecutorPreference(self) { try await work() }
        // The last job may not have ended yet.
        await withCheckedContinuation { ended in queue.addOperation { ended.resume() } }
        return (spent.withLock { $0 }, value)
    }

    /// Of this thread. Which module declares the members of `timespec` depends on what else is imported.
    private static var processorTime: Double {
        withUnsafeTemporaryAllocation(of: timespec.self, capacity: 1) { time in
            guard let clock = time.baseAddress else { return 0 }
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, clock)
            let bytes = UnsafeRawPointer(clock)
            let seconds = bytes.load(as: Int.self)
            let nanoseconds = bytes.load(fromByteOffset: 8, as: Int.self)
            return Double(seconds) * 1000 + Double(nanoseconds) / 1_000_000
        }
    }
}
