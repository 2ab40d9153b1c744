import Foundation
import HTTPTypes
import Postgres
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith
@testable import Links

/// Everybody has the key of an app, so with it nobody changes a link that others get, too.
extension ShortLinkTests {
    private func end(_ app: TestApp, _ code: String?) async throws -> Date?? {
        try await app.db.write.first("SELECT expires_at FROM links WHERE code = \(code ?? "")") {
            try $0.next(as: Date?.self)
        }
    }

    @Test func `a client key gives a link no code, no name and no end`() async throws {
        try await run { app, _ in
            let client = try await app.keyed(.client)
            for body in [
                ["parameters": ["link": Self.party], "suffix": "custom", "code": "mine"],
                ["parameters": ["link": Self.party], "name": "Flyer"],
                ["parameters": ["link": Self.party], "suffix": "short", "expiresIn": 60],
            ] as [Body] {
                let answer = try await make(app, client, body)
                #expect((answer.status, answer.code) == (403, "forbidden"), "\(answer.text)")
            }
            let body: Body = [
                "dynamicLinkInfo": ["domainUriPrefix": "https://go.example.com", "link": Self.party] as Body,
                "suffix": ["option": "CUSTOM", "customSuffix": "mine"],
            ]
            try await app.firebase("shortLinks", client, body).isFirebaseError(403, "PERMISSION_DENIED")
            #expect(try await app.count("links") == 0)
            #expect(try await make(app, client, ["parameters": ["link": Self.party]]).status == 201)
        }
    }

    @Test func `a client key never sees what operators call a link, and the name stays as it was`()
        async throws
    {
        try await run { app, key in
            let first = try await make(app, key, ["parameters": ["link": Self.party], "name": "Secret"])
            #expect(first.status == 201 && first["name"] == "Secret")
            let again = try await make(app, key, ["parameters": ["link": Self.party], "name": "Other"])
            #expect(again.status == 200 && again["name"] == "Secret", "\(again.text)")
            let seen = try await make(app, app.keyed(.client), ["parameters": ["link": Self.party]])
            #expect(seen.status == 200 && seen["code"] == first["code"] && !seen.text.contains("Secret"))
        }
    }

    @Test func `for a client key a link that ends stays as it is, and the new one gets another code`()
        async throws
    {
        try await run { app, key in
            let client = try await app.keyed(.client)
            let first = try await make(app, key, ["parameters": ["link": Self.party], "expiresIn": 3600])
            let end = try await end(app, first["code"])
            let long = TestApp.long(["link": Self.party])
            for isOver in [false, true] {
                if isOver {
                    try await app.db.write.run(
                        "UPDATE links SET expires_at = now() WHERE expires_at IS NOT NULL")
                }
                let before = isOver ? try await self.end(app, first["code"]) : end
                let second = try await make(app, client, ["parameters": ["link": Self.party]])
                #expect(second.status == (isOver ? 200 : 201) && second["expiresAt"] != nil, "\(second.text)")
                #expect(second["code"] != first["code"])
                let made = try await app.firebase("shortLinks", client, ["longDynamicLink": long])
                #expect(made["shortLink"] == "https://go.example.com/\(second["code"] ?? "")", "\(made.text)")
                #expect(try await self.end(app, first["code"]) == before)
            }
        }
    }

    @Test func `for a backend a link lasts at least as long as it asks`() async throws {
        try await run { app, key in
            let first = try await make(app, key, ["parameters": ["link": Self.party], "expiresIn": 600])
            let code = try #require(first["code"])
            let end = try await end(app, code)
            let shorter = try await make(app, key, ["parameters": ["link": Self.party], "expiresIn": 60])
            #expect(shorter.status == 200 && shorter["code"] == code)
            #expect(try await self.end(app, code) == end, "no call shortens it")
            let longer = try await make(app, key, ["parameters": ["link": Self.party], "expiresIn": 6000])
            #expect(longer["code"] == code)
            #expect(try #require(await self.end(app, code) ?? nil) > Date.now + 5000)
            try await app.db.write.run("UPDATE links SET expires_at = now()")
            #expect(try await open(app, "/\(code)").status == 404)
            let made = try await app.firebase(
                "shortLinks", key, ["longDynamicLink": TestApp.long(["link": Self.party])])
            #expect(made["shortLink"] == "https://go.example.com/\(code)", "\(made.text)")
            #expect(try await open(app, "/\(code)").status == 302)
            #expect(try await self.end(app, code) == .some(nil), "for ever")
            // Of two at once, the one that asked for an end may write last.
            let row = try await ShortLinkStore(db: app.db).extend(
                try #require(ShortLink.Code(code)), in: try #require(app.app.front.project.domains.first),
                to: ["link": Self.party], until: .now + 60)
            #expect(row != nil && row?.expiresAt == nil)
        }
    }
}
