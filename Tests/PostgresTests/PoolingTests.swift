import Postgres
import TestSupport
import Testing

/// What lies between here and the server. `make faults` tries a pooler itself (F19).
@Suite(.inTurns) struct PoolingTests {
    @Test func `a server without a pooler gives each session a process of its own`() async throws {
        try await Server.withDatabase { (database) async throws in
            #expect(try await !database.isPooledByTransaction())
        }
    }
}
