import Postgres
import TestSupport
import Testing

/// The detection of poolers. `make faults` tests a real pooler (F19).
@Suite(.inTurns) struct PoolingTests {
    @Test func `a server without a pooler gives each session a process of its own`() async throws {
        try await Server.withDatabase { (database) async throws in
            #expect(try await !database.isPooledByTransaction())
        }
    }
}
