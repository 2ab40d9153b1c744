package import Foundation

extension Process {
    /// Blocks until the process exits.
    ///
    /// `waitUntilExit` runs a run loop of short timers, and cancelling one of them stopped a whole test run
    /// inside libdispatch on Linux (Swift 6.3, `_dispatch_source_refs_finalize_unregistration`).
    package func waitForExit() {
        while isRunning { usleep(5_000) }
    }
}
