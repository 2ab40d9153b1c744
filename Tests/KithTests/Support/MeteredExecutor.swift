import Dispatch
import Foundation
import Synchronization

/// Runs tasks on a thread of its own, and measures the processor time that they take, whatever else the process does meanwhile.
final class MeteredExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "metered")
    private let spent = Mutex(0.0)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in
            let began = Self.processorTime
            job.runSynchronously(on: asUnownedTaskExecutor())
            let time = Self.processorTime - began
            spent.withLock { $0 += time }
        }
    }

    /// In milliseconds, with what the work returned.
    func measure<Value: Sendable>(_ work: @Sendable () async throws -> Value) async throws -> (Double, Value)
    {
        spent.withLock { $0 = 0 }
        let value = try await withTaskExecutorPreference(self) { try await work() }
        // The last job may not have ended yet.
        await withCheckedContinuation { ended in queue.async { ended.resume() } }
        return (spent.withLock { $0 }, value)
    }

    private static var processorTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1_000_000
    }
}
