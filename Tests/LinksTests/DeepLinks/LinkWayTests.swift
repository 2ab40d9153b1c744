import HTTPTypes
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel

/// What the API says of where a link leads whom.
@Suite(.inTurns) struct LinkWayTests {
    @Test func `a link says for each device where it leads, and nothing once it is over`() async throws {
        try await TestApp.run(configure: TestApp.withLinks) { app in
            let key = try await app.keyed(.server)
            let parameters: Body = [
                "link": TestApp.party, "ofl": "https://example.com/desk", "ibi": "com.example.app",
            ]
            let made = try await app.post(
                "/v1/links", as: nil, headers: key,
                ["parameters": parameters, "suffix": "custom", "code": "party"])
            #expect(made.status == 201 && made["leads.0"] == nil, "\(made.text)")
            let shown = try await app.get("/v1/links/party", headers: key)
            let leads = shown.objects("leads")
            #expect(
                leads.map { $0["visitor"] as? String } == [
                    "iPhone", "iPad", "android", "computer", "preview",
                ])
            #expect(shown["leads.3.url"] == "https://example.com/desk")
            #expect(shown["leads.4.url"] == nil && shown["leads.3.hasPage"] == "0")
            #expect(
                shown["leads.0.hasPage"] == "1" && shown["leads.0.opensApp"] == "1", "\(shown.text)")
            _ = try await app.call(.patch, "/v1/links/party", headers: key, body: ["expiresIn": 1])
            try await waitUntil("it is over") {
                try await app.get("/v1/links/party", headers: key)["leads.0"] == nil
            }
        }
    }
}
