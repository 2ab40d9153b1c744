import Postgres
import TestSupport
import Testing

/// The statistics of exclusive connections.
@Suite(.inTurns) struct SessionStatisticsTests {
    @Test func `a closed connection counts neither as up nor as having requests in flight`() async throws {
        try await Server.withDatabase { (database) async throws in
            for _ in 0..<3 { try await database.withConnection { try await $0.script("SELECT 1") } }
            let statistics = database.statistics.exclusive
            #expect((statistics.connectionsUp, statistics.inFlight, statistics.waiting) == (0, 0, 0))
            #expect(statistics.connects == 3, "counters keep the past")
        }
    }
}
