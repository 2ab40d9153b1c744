import Postgres
import TestSupport
import Testing

/// What is counted of connections that callers have for themselves.
@Suite(.inTurns) struct SessionStatisticsTests {
    @Test func `a connection that is given up is no longer up, and nothing in it is under way`() async throws
    {
        try await Server.withDatabase { (database) async throws in
            for _ in 0..<3 { try await database.withConnection { try await $0.script("SELECT 1") } }
            let statistics = database.statistics.exclusive
            #expect((statistics.connectionsUp, statistics.inFlight, statistics.waiting) == (0, 0, 0))
            #expect(statistics.connects == 3, "what happened stays counted")
        }
    }
}
