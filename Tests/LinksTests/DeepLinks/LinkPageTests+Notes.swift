import HTTPTypes
import Testing

@testable import AppTesting
@testable import Links

/// What operators wrote down of a link, on its page.
extension LinkPageTests {
    @Test func `the page shows what operators wrote down of it`() async throws {
        try await run { app, key in
            try await make(app, key, "party")
            #expect(!(try await app.get("/links/party+", headers: key)).text.contains(#"class="tags""#))
            let changed = try await app.call(
                .patch, "/v1/links/party", as: nil, headers: key,
                body: ["tags": ["Spring", "print"], "note": "For <the> fair"])
            #expect(changed.status == 200, "\(changed.text)")
            let page = try await app.get("/links/party+", headers: key).text
            for shown in ["<bdi>spring</bdi>", "<bdi>print</bdi>", "For &lt;the&gt; fair"] {
                #expect(page.contains(shown), "\(shown)")
            }
        }
    }
}
