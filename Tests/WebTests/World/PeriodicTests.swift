import Logging
import Testing

@testable import AppTesting
@testable import Web

@Suite struct PeriodicTests {
    private struct Away: Error {}

    @Test func `an outage is one line of the log however often the work fails, and the next outage another`()
        async
    {
        let lines = LogLines()
        let repeating = Task {
            var passes = 0
            await Periodic("nobody counts", every: .milliseconds(1), logger: lines.logger).run {
                passes += 1
                if passes == 10 { withUnsafeCurrentTask { $0?.cancel() } }
                if passes != 5 { throw Away() }
            }
        }
        await repeating.value
        #expect(lines.all.count == 2, "\(lines.all)")
        #expect(lines.all.allSatisfy { $0.contains("nobody counts") && $0.contains("Away") })
    }
}
