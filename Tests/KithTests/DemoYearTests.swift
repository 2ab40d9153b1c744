import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import AppTesting
@testable import Growth
@testable import Kernel
@testable import Kith

/// `kith dev --year`.
@Suite(.inTurns) struct DemoYearTests {
    @Test func `the console has a year of numbers and what product people publish to show`() async throws {
        try await TestApp.run(configure: {
            $0.secretsKey = SecretsKey(Data(repeating: 7, count: 32).base64EncodedString())
        }) { app in
            _ = try await DemoData(app.app).make()
            let key = try await APIKeyStore(db: app.db).create(name: "reader", scope: .viewer)
            let viewer: HTTPFields = [.authorization: "Bearer \(key)"]
            #expect(try await DemoYear(app.app).make())
            let signUps = try await app.get("/v1/admin/numbers/people.sign_ups?by=cause", headers: viewer)
            #expect((signUps.json["total"] as? Int ?? 0) > 5000, "\(signUps.text)")
            let funnel = try await app.get("/v1/admin/numbers/invites.funnel", headers: viewer)
            #expect(funnel.text.contains("invites.passed_on"))
            let adoption = try await app.get(
                "/v1/admin/client-versions/adoption?platform=ios", headers: viewer)
            #expect(adoption.text.contains("3.19"), "\(adoption.text)")
            let results = try await app.get("/v1/admin/experiments/warm-greeting/results", headers: viewer)
            #expect(results.text.contains(#""best":"warm""#), "\(results.text)")
            #expect(try await app.count("offer_codes WHERE user_id IS NULL") == 150)
            // What the server does by itself.
            try await app.numberEvents()
            let run = RewardRun(RewardStore(db: app.db), now: { Date() })
            var (before, position) = (Int64(-1), try #require(try await run.take()))
            while position != before { (before, position) = (position, try await run.pass(from: position)) }
            #expect(try await app.count("rewards WHERE state = 'flagged'") > 0)
            let (counts, publications) = try await (app.count("counts"), app.count("publications"))
            #expect(try await DemoYear(app.app).make() == false)
            #expect(try await app.count("counts") == counts, "a second call changes nothing")
            #expect(try await app.count("publications") == publications)
        }
    }
}
