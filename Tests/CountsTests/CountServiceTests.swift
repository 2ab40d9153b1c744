import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Counts
@testable import Events
@testable import Kith

/// What a server says of its counting.
@Suite(.inTurns) struct CountServiceTests {
    @Test func `while nothing can be counted the lag grows, and afterwards all is counted`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            try await EventStore(db: app.db).number()
            try await app.db.write.run("ALTER TABLE counts RENAME TO gone")
            let metrics = CountMetrics()
            let service = CountService(app.app.counting, metrics: metrics, logger: TestApp.quiet)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await service.run() }
                try await waitUntil("it is behind") {
                    metrics.metricsText().contains("kith_counts_lag_seconds 1")
                }
                try await app.db.write.run("ALTER TABLE gone RENAME TO counts")
                try await waitUntil("it is not behind") {
                    metrics.metricsText().contains("kith_counts_lag_seconds 0")
                }
                group.cancelAll()
                try await group.waitForAll()
            }
            #expect(try await app.count("counts WHERE measure = 'people.sign_ups'") == 1)
        }
    }
}
