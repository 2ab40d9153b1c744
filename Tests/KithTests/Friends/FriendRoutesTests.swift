import Foundation
import Postgres
import Testing

@testable import Kith

@Suite struct FriendRoutesTests {
    private func names(_ answer: TestApp.Answer) -> [String] {
        (answer.json["friends"] as? [[String: Any]] ?? []).compactMap { $0["username"] as? String }
    }

    @Test func `friends are listed newest first, by pages that never repeat or skip`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            for number in 0..<25 {
                try await app.signUp("friend\(number)", invite: TestApp.link("ann", "u-ann"))
            }
            var (all, after): ([String], String) = ([], "")
            repeat {
                let page = try await app.get("/v1/friends?limit=10\(after)", as: "u-ann")
                all += names(page)
                after = page["next"].map { "&after=\($0)" } ?? ""
            } while !after.isEmpty
            #expect(all == (0..<25).reversed().map { "friend\($0)" })
            #expect(try await app.get("/v1/friends/count", as: "u-ann")["count"] == "25")
        }
    }

    @Test func `friends of one instant are in order of their keys, and still come once each`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            for number in 0..<9 {
                try await app.signUp("friend\(number)", invite: TestApp.link("ann", "u-ann"))
            }
            try await app.db.write.run("UPDATE relationships SET since = '2026-01-01T00:00:00.123456Z'")
            var (all, after): ([String], String) = ([], "")
            repeat {
                let page = try await app.get("/v1/friends?limit=2\(after)", as: "u-ann")
                all += names(page)
                after = page["next"].map { "&after=\($0)" } ?? ""
            } while !after.isEmpty
            #expect(all.count == 9)
            #expect(Set(all).count == 9)
        }
    }

    @Test func `a suspended friend is not in the list nor in the count`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            for name in ["bob", "cat"] { try await app.signUp(name, invite: TestApp.link("ann", "u-ann")) }
            try await app.setStatus("suspended", of: "u-bob")
            #expect(names(try await app.get("/v1/friends", as: "u-ann")) == ["cat"])
            #expect(try await app.get("/v1/friends/count", as: "u-ann")["count"] == "1")
        }
    }

    @Test(arguments: [
        "limit=0", "limit=101", "limit=x", "after=zzz", "after=%00", "order=age", "limit=1&limit=2",
    ])
    func `a query that makes no sense is a 400 with the field named`(query: String) async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let answer = try await app.get("/v1/friends?\(query)", as: "u-ann")
            #expect(answer.status == 400)
            #expect(answer["field"] == String(query.prefix { $0 != "=" }))
        }
    }
}
