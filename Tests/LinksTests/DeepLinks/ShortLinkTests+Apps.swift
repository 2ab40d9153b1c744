import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith
@testable import Links
@testable import Visits

/// Links that apps make, whose key everybody has: how many, how large, how long, and how to be rid of them.
extension ShortLinkTests {
    /// How many days a link still lasts, rounded; nil: for ever.
    private func days(_ app: TestApp, _ code: String) async throws -> Int? {
        try await app.db.write.first(
            """
            SELECT round(extract(epoch FROM expires_at - now()) / 86400)::bigint FROM links WHERE code = \(code)
            """
        ) { try $0.next(as: Int?.self) } ?? nil
    }

    private func shift(_ app: TestApp, to days: Int) async throws {
        try await app.db.write.run(
            "UPDATE links SET expires_at = now() + \(Double(days)) * interval '1 day' WHERE lapses")
    }

    @Test
    func `a link that an app makes lasts for half a year after the last day on which somebody opened it`()
        async throws
    {
        try await run { app, _ in
            let client = try await app.keyed(.client)
            let body: Body = ["parameters": ["link": Self.party]]
            let code = try #require(try await make(app, client, body)["code"])
            #expect(try await days(app, code) == 180)
            try await shift(app, to: 100)
            #expect(try await open(app, "/\(code)").status == 302)
            try await waitUntil("it is kept") { try await days(app, code) == 180 }
            // Within the day nothing is written again.
            let version = try await app.db.write.first("SELECT xmin::text FROM links") {
                try $0.next(as: String.self)
            }
            for _ in 0..<3 { #expect(try await open(app, "/\(code)").status == 302) }
            #expect(
                try await app.db.write.first("SELECT xmin::text FROM links") {
                    try $0.next(as: String.self)
                } == version)
            // The app that asks for it again keeps it, too.
            try await shift(app, to: 1)
            let again = try await make(app, client, body)
            #expect(again.status == 200 && again["code"] == code, "\(again.text)")
            #expect(try await days(app, code) == 180)
            try await shift(app, to: -1)
            #expect(try await open(app, "/\(code)").status == 404)
            #expect(try await days(app, code) == -1)
        }
    }

    @Test func `what lapsed is deleted, and nothing else`() async throws {
        try await run { app, key in
            let client = try await app.keyed(.client)
            for number in 0..<5 {
                _ = try await make(app, client, ["parameters": ["link": "https://example.com/\(number)"]])
            }
            try await shift(app, to: -1)
            let young = try await make(app, client, ["parameters": ["link": Self.party]])
            let ended: Body = ["parameters": ["link": Self.party, "st": "x"], "expiresIn": 60]
            let code = try #require(try await make(app, key, ended)["code"])
            try await app.db.write.run("UPDATE links SET expires_at = now() WHERE code = \(code)")
            try await app.db.write.run(
                """
                INSERT INTO counts (subject, measure, day, count)
                SELECT domain || '/' || code, 'links.redirect', '2020-01-01', 1 FROM links
                """)
            let clicks = ClickStore(db: app.db, policy: app.app.config.counts)
            try await ShortLinkStore(db: app.db).forgetLapsed(countedIn: clicks, part: 2)
            #expect(try await app.count("counts") == 2)
            let left = try await app.db.write.query("SELECT code FROM links") {
                try $0.next(as: String.self)
            }
            #expect(Set(left) == [code, young["code"]])
        }
    }

    @Test(arguments: ["asks for it", "sets no end"])
    func `a backend keeps a link that an app made`(how: String) async throws {
        try await run { app, key in
            let body: Body = ["parameters": ["link": Self.party]]
            let code = try #require(try await make(app, app.keyed(.client), body)["code"])
            let kept =
                how == "asks for it"
                ? try await make(app, key, body)
                : try await app.call(.patch, "/v1/links/\(code)", headers: key, body: ["expiresIn": 0])
            #expect(kept.status == 200 && kept["code"] == code && kept["expiresAt"] == nil, "\(kept.text)")
            #expect(try await days(app, code) == nil)
            #expect(try await app.count("links WHERE lapses") == 0)
        }
    }

    @Test func `a link says by which key it was made, and not to an app`() async throws {
        try await run { app, key in
            let text = try await APIKeyStore(db: app.db).create(name: "app", scope: .client)
            let made = try await make(
                app, [.authorization: "Bearer \(text)"], ["parameters": ["link": Self.party]])
            let code = try #require(made["code"])
            #expect(made.status == 201 && made["keyId"] == nil)
            let shown = try await app.get("/v1/links/\(code)", headers: key)
            #expect(shown["keyId"] == APIKey(text)?.id, "\(shown.text)")
            let own = try await make(app, key, ["parameters": ["link": Self.party, "st": "x"]])
            #expect(own["keyId"] != nil && own["keyId"] != APIKey(text)?.id)
        }
    }

    @Test func `a link that an app makes has 4 KiB of values at most`() async throws {
        try await run { app, key in
            let client = try await app.keyed(.client)
            func body(_ more: Int) -> Body {
                let text = String(repeating: "x", count: 2048)
                return [
                    "parameters": [
                        "link": Self.party, "st": text,
                        "sd": String(text.prefix(2048 - Self.party.count + more)),
                    ]
                ]
            }
            let large = try await make(app, client, body(1))
            #expect((large.status, large["field"]) == (400, "parameters.link"), "\(large.text)")
            #expect(
                large["detail"]?.contains("at most 4,096 bytes together, if a client key")
                    == true)
            let firebase = try await app.firebase(
                "shortLinks", client,
                [
                    "dynamicLinkInfo": [
                        "domainUriPrefix": "https://go.example.com", "link": Self.party,
                        "socialMetaTagInfo": [
                            "socialTitle": String(repeating: "x", count: 2048),
                            "socialDescription": String(repeating: "x", count: 2048),
                        ],
                    ] as Body
                ])
            firebase.isFirebaseError(400, "INVALID_ARGUMENT")
            #expect(try await app.count("links") == 0)
            #expect(try await make(app, client, body(0)).status == 201)
            #expect(try await make(app, key, body(1)).status == 201)
        }
    }

    @Test func `who makes a deleted link again gets another, and the one that was passed on stays dead`()
        async throws
    {
        try await run { app, key in
            let client = try await app.keyed(.client)
            let body: Body = ["parameters": ["link": Self.party]]
            var dead: [String] = []
            for (maker, again) in [(client, key), (key, client), (client, client)] {
                let made = try await make(app, maker, body)
                #expect(made.status == 201, "\(made.text)")
                let code = try #require(made["code"])
                #expect(!dead.contains(code))
                #expect(try await make(app, again, body)["code"] == code)
                let place = "/v1/links/\(code)"
                #expect(try await app.call(.delete, place, headers: key).status == 204)
                dead.append(code)
                for (method, change) in [(.get, nil), (.delete, nil), (.patch, ["name": "x"])]
                    as [(HTTPRequest.Method, Body?)]
                {
                    let gone = try await app.call(method, place, headers: key, body: change)
                    #expect((gone.status, gone.code) == (404, "not_found"), "\(method)")
                }
            }
            // More often than codes are tried.
            for _ in 0..<15 {
                let made = try await make(app, client, body)
                #expect(made.status == 201, "\(made.text)")
                let code = try #require(made["code"])
                #expect(try await app.call(.delete, "/v1/links/\(code)", headers: key).status == 204)
                dead.append(code)
            }
            #expect(Set(dead).count == 18)
            #expect(try await make(app, client, body).status == 201)
            for code in dead { #expect(try await open(app, "/\(code)").status == 404) }
            #expect(try await app.asked("/v1/links", key).objects("links").count == 1)
            // What it led to is gone.
            let kept = try await app.db.read.query(
                "SELECT parameters::text FROM links WHERE kind = 'deleted'"
            ) { try $0.next(as: String.self) }
            #expect(Set(kept) == ["{}"] && kept.count == 18)
        }
    }

    @Test func `a deleted custom link leads nowhere, and its code is free`() async throws {
        try await run { app, key in
            let custom: Body = ["parameters": ["link": Self.party], "suffix": "custom", "code": "a/b"]
            #expect(try await make(app, key, custom).status == 201)
            let server = try await app.keyed(.server)
            #expect(try await open(app, "/a/b").status == 302)
            let deleted = try await app.call(.delete, "/v1/links/a%2Fb", headers: server)
            #expect((deleted.status, deleted.text) == (204, ""))
            #expect(try await open(app, "/a/b").status == 404)
            for method in [HTTPRequest.Method.get, .delete] {
                let gone = try await app.call(method, "/v1/links/a%2Fb", headers: key)
                #expect((gone.status, gone.code) == (404, "not_found"))
            }
            let next: Body = [
                "parameters": ["link": "https://example.com/"], "suffix": "custom", "code": "a/b",
            ]
            #expect(try await make(app, key, next).status == 201)
        }
    }
}
