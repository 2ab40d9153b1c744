import Dispatch

/// A thread for what takes the processor long, one thing after the other. Neither an event loop nor Swift's
/// pool, which answer everybody, may wait for it.
package final class BackgroundThread: SerialExecutor {
    private let queue: DispatchQueue

    package init(_ name: String) { queue = DispatchQueue(label: name, qos: .utility) }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
