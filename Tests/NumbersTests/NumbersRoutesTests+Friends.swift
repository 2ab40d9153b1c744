import HTTPTypes
import Testing

@testable import AppTesting
@testable import Graph
@testable import Kernel
@testable import Kith
@testable import Numbers

/// Numbers of friends, of requests, and of links with codes of several segments.
extension NumbersRoutesTests {
    @Test func `accounts divide by how many friends each has now`() async throws {
        try await run { app, viewer in
            for name in ["ann", "bob", "cat", "dan", "eve", "fay"] {
                try await app.signUp(name, invite: name == "ann" ? nil : TestApp.link("ann", "u-ann"))
            }
            try await app.act(.want, "u-bob", on: "u-cat")
            try await app.act(.want, "u-cat", on: "u-bob")
            try await app.signUp("gil")
            _ = try await app.call(.delete, "/v1/me", as: "u-fay")
            try await app.count()
            #expect(try await total(app, viewer, "people.accounts") == 6)
            let friends = try await series(app, viewer, "people.accounts?by=friends")
            #expect(friends == ["0": 1, "1": 2, "2-4": 3])
            #expect(try await total(app, viewer, "people.accounts", "friends=2-4") == 3)
        }
    }

    @Test func `a part of the accounts stands for all, and the parts sum to them`() {
        #expect(LevelStore.parts(of: 7, like: [1, 1, 1]) == [2, 3, 2])
        #expect(
            LevelStore.parts(of: 1_000_000, like: [25_000, 12_500, 12_500]) == [500_000, 250_000, 250_000])
        #expect(LevelStore.parts(of: 3, like: [3, 0]) == [3, 0] && LevelStore.parts(of: 0, like: []) == [])
    }

    @Test func `requests are answered, withdrawn, or wait`() async throws {
        try await run { app, viewer in
            for name in ["ann", "bob", "cat", "dan", "eve", "fay", "gil"] { try await app.signUp(name) }
            for asker in ["bob", "cat", "dan", "eve", "fay", "gil"] {
                try await app.act(.want, "u-\(asker)", on: "u-ann")
            }
            try await app.act(.want, "u-ann", on: "u-bob")
            try await app.act(.unwant, "u-ann", on: "u-cat")
            // For the asker a block is no answer, for whoever blocks it is one.
            try await app.act(.block, "u-ann", on: "u-dan")
            try await app.act(.unwant, "u-eve", on: "u-ann")
            _ = try await app.call(.delete, "/v1/me", as: "u-fay")
            for _ in 0..<2 { try await app.count() }
            #expect(try await total(app, viewer, "friendships.requested") == 6)
            let answers = try await app.get("/v1/admin/numbers/friendships.answered", headers: viewer)
            #expect(answers["total"] == "5" && answers["base.total"] == "6", "\(answers.text)")
            #expect(
                try await series(app, viewer, "friendships.answered?by=cause") == [
                    "accepted": 1, "declined": 2, "withdrawn": 2,
                ])
        }
    }

    @Test func `a link of which the code has slashes counts for its domain`() async throws {
        try await run { app, viewer in
            let key = try await APIKeyStore(db: app.db).create(name: "links", scope: .server)
            let server: HTTPFields = [.authorization: "Bearer \(key)"]
            let made = try await app.post(
                "/v1/links", as: nil, headers: server,
                [
                    "parameters": ["link": "https://join.example.com/party"] as Body, "suffix": "custom",
                    "code": "a/b/c",
                ])
            try #require(made.status == 201, "\(made.text)")
            var headers = HTTPFields.android
            headers[.testHost] = "go.example.com"
            #expect(try await app.get("/a/b/c", headers: headers).status == 302)
            try await app.count()
            #expect(try await total(app, viewer, "links.clicks", "domain=https://go.example.com") == 1)
            let below = try await app.get(
                "/v1/admin/numbers/links.clicks?domain=https://go.example.com/a/b", headers: viewer)
            #expect(below.status == 400 && below["field"] == "domain")
            #expect(try await total(app, viewer, "links.clicks", "link=https://go.example.com/a/b/c") == 1)
            try await app.verify()
            // What is counted of a link goes with it, and that of its domain stays.
            #expect(try await app.get("/a/b/c", headers: headers).status == 302)
            #expect(
                try await app.call(.delete, "/v1/links/a%2Fb%2Fc", as: nil, headers: server).status == 204)
            try await app.count()
            let gone = try await app.get(
                "/v1/admin/numbers/links.clicks?link=https://go.example.com/a/b/c", headers: viewer)
            #expect(gone.status == 400 && gone["field"] == "link")
            #expect(try await total(app, viewer, "links.clicks", "domain=https://go.example.com") == 1)
        }
    }
}
