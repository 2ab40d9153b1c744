import HTTPTypes
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel

/// Who may call `/fdl`.
@Suite(.inTurns) struct FirebaseKeyTests {
    @Test func `a code of one's own is the backend's, and leads to one place`() async throws {
        try await TestApp.runFirebase { app, key in
            func body(_ link: String) -> Body {
                [
                    "longDynamicLink": TestApp.long(["link": link]),
                    "suffix": ["option": "CUSTOM", "customSuffix": "summer"],
                ]
            }
            try await app.firebase("shortLinks", app.keyed(.client), body(TestApp.party)).isFirebaseError(
                403, "PERMISSION_DENIED",
                "Requests to this API firebasedynamiclinks.googleapis.com method "
                    + "google.firebase.dynamiclinks.v1.DynamicLinksService.CreateShortDynamicLink are blocked."
            )
            #expect(try await app.count("links") == 0)
            for _ in 0..<2 {
                let made = try await app.firebase("shortLinks", key, body(TestApp.party))
                #expect(made["shortLink"] == "https://go.example.com/summer", "\(made.text)")
            }
            try await app.firebase("shortLinks", key, body("https://example.com/")).isFirebaseError(
                409, "ALREADY_EXISTS")
        }
    }

    @Test func `the key stands in the query or in the header, which counts`() async throws {
        try await TestApp.run(configure: TestApp.withLinks) { app in
            let long: Body = ["longDynamicLink": TestApp.long(["link": TestApp.party])]
            func call(_ query: String, _ headers: HTTPFields = [:]) async throws -> TestApp.Answer {
                try await app.post("/fdl/v1/shortLinks\(query)", as: nil, headers: headers, long)
            }
            for scope in [APIKey.Scope.client, .server, .links, .admin] {
                let key = try await APIKeyStore(db: app.db).create(name: "k", scope: scope)
                #expect(try await call("?key=\(key)").status == 200)
                #expect(try await call("?alt=json&key=\(key)&prettyPrint=false").status == 200)
                #expect(try await call("?key=AIzaOld", [.authorization: "Bearer \(key)"]).status == 200)
                try await call("?key=\(key)", [.authorization: "Bearer ya29.x"]).isFirebaseError(
                    401, "UNAUTHENTICATED", "API key not valid.")
                try await call("?key=\(key)&key=\(key)").isFirebaseError(401, "UNAUTHENTICATED")
            }
            for query in ["", "?key=", "?key=AIzaOld", "?key=%00"] {
                try await call(query).isFirebaseError(
                    401, "UNAUTHENTICATED", "The request is missing a valid API key.")
            }
            try await call("?key=kith_aaaaaaaaaaaa_\(String(repeating: "a", count: 32))").isFirebaseError(
                401, "UNAUTHENTICATED", "API key not valid. Please pass a valid API key.")
            try await app.post("/fdl/v1/shortLinks", as: "u-ann", long).isFirebaseError(
                403, "PERMISSION_DENIED")
            let key = try await APIKeyStore(db: app.db).create(name: "k", scope: .client)
            #expect(try await app.get("/v1/links?key=\(key)").code == "unauthenticated", "only there")
        }
    }
}
