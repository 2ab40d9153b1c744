import Foundation
import Postgres
import Testing

@testable import AppTesting
@testable import Counts
@testable import Kith

/// Whose days a publication speaks of.
extension PublicationTests {
    @Test(arguments: ["Pacific/Kiritimati", "Pacific/Niue"])
    func `yesterday is that of the operator's time zone`(zone: String) async throws {
        let place = try #require(TimeZone(identifier: zone))
        try await TestApp.run(configure: { $0.counts.zone = place }) { app in
            try await app.db.write.run(
                """
                INSERT INTO client_versions (app, day, platform, version, action, count)
                SELECT 'com.example.app', (now() AT TIME ZONE \(zone))::date - n, 'ios', '1.9', 'none', 10 * n + 1
                FROM generate_series(0, 3) n
                """)
            let change: Body = """
                {"changes":{"policies":{"min":{"platform":"ios","when":{"version":{"lt":"2"}},"action":"soft","target":"2"}}},"reason":"old"}
                """
            let published = try await Operator(app).post(over: 0, change)
            #expect(published["effects.0"]?.hasPrefix("Of 11 calls on ") == true, "\(published.text)")
        }
    }
}
