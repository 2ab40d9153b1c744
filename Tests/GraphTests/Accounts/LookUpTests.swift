import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Graph
@testable import Kith

/// `POST /v1/users`, `GET /v1/users?username=`, and `POST /v1/requests`.
@Suite(.inTurns) struct LookUpTests {
    private func users(_ app: TestApp, _ body: Body) async throws -> [String] {
        let answer = try await app.post("/v1/users", as: "u-ann", body)
        try #require(answer.status == 200, "\(answer.text)")
        return (answer.json["users"] as? [[String: Any]] ?? []).map {
            "\($0["uid"] ?? "–") \($0["username"] ?? "–") \($0["relationship"] ?? "–")"
        }
    }

    @Test func `up to a hundred users are shown with how they stand to the caller`() async throws {
        try await TestApp.run { app in
            for name in ["ann", "bob", "cat", "dan", "eve", "fay"] { try await app.signUp(name) }
            try await app.befriend("u-ann", "u-bob")
            try await app.act(.want, "u-ann", on: "u-cat")
            try await app.act(.block, "u-cat", on: "u-ann")
            try await app.act(.want, "u-ann", on: "u-dan")
            try await app.setStatus("suspended", of: "u-dan")
            try await app.setStatus("suspended", of: "u-eve")
            let uids = ["u-fay", "u-bob", "u-cat", "u-dan", "u-eve", "u-none", "u-bob", "u-ann"]
            #expect(
                try await users(app, ["uids": uids]) == [
                    "u-fay fay none", "u-bob bob friends", "u-cat cat outgoing", "u-dan – outgoing",
                    "u-eve – none", "u-none – none", "u-bob bob friends", "u-ann ann none",
                ])
            #expect(
                try await users(app, ["usernames": ["FAY", "dan", "nobody", "Bob", "cat", "eve"]]) == [
                    "u-fay fay none", "u-bob bob friends", "u-cat cat outgoing",
                ])
            let found = try await app.get("/v1/users?username=BOB", as: "u-ann")
            #expect(found["uid"] == "u-bob" && found["relationship"] == "friends" && found["since"] != nil)
            var missing: Set<String> = []
            for name in ["dan", "eve", "nobody", "x%00".dropLast(3) + "%20"] {
                let answer = try await app.get("/v1/users?username=\(name)", as: "u-ann")
                #expect(answer.status == 404)
                missing.insert(answer["detail"] ?? "")
            }
            #expect(missing.count == 1)
            // A name that was given up finds nobody.
            try await app.rename("u-fay", to: "faye")
            #expect(try await app.get("/v1/users?username=fay", as: "u-ann").status == 404)
            #expect(try await users(app, ["usernames": ["fay", "faye"]]) == ["u-fay faye none"])
        }
    }

    @Test(arguments: [
        ("{}", "uids"), (#"{"uids":["a"],"usernames":["a"]}"#, "uids"), (#"{"usernames":[]}"#, "usernames"),
        (#"{"usernames":[""]}"#, "usernames"), (#"{"usernames":[1]}"#, "usernames"),
        (#"{"usernames":"a"}"#, "usernames"), (#"{"usernames":["a\n"]}"#, "usernames"),
    ])
    func `neither or both, and what is no name, is a 400`(body: String, field: String) async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let answer = try await app.post("/v1/users", as: "u-ann", Body(stringLiteral: body))
            #expect((answer.status, answer["field"]) == (400, field), "\(answer.text)")
            let many: Body = ["usernames": (0...100).map { "n\($0)" }]
            #expect(try await app.post("/v1/users", as: "u-ann", many).status == 400)
        }
    }

    @Test func `many are asked at once, each with an outcome, and again`() async throws {
        try await TestApp.run(configure: { $0.friends.requests = 4 }) { app in
            for name in ["ann", "bob", "cat", "dan"] { try await app.signUp(name) }
            try await app.act(.want, "u-bob", on: "u-ann")
            try await app.act(.block, "u-ann", on: "u-cat")
            try await app.act(.block, "u-dan", on: "u-ann")
            let uids = ["u-bob", "u-cat", "u-dan", "u-ann", "u-none", "u-none", "u-3", "u-4", "u-5"]
            let expected = [
                "friends", "unblock_first", "outgoing", "self_relationship", "outgoing", "outgoing",
                "outgoing", "outgoing", "request_limit_self",
            ]
            for _ in 1...2 {
                let answer = try await app.post("/v1/requests", as: "u-ann", ["uids": uids])
                #expect(answer.status == 200)
                let outcomes = answer.json["requests"] as? [[String: String]] ?? []
                #expect(outcomes.map { $0["uid"] } == uids)
                #expect(outcomes.map { $0["relationship"] ?? $0["code"] } == expected)
            }
            #expect(try await app.requests("outgoing", "u-ann").count == 4)
            try await app.verify()
            for body: Body in [#"{"uids":[]}"#, ["uids": (0...100).map { "u-\($0)" }], [:], ["uids": [""]]] {
                let answer = try await app.post("/v1/requests", as: "u-ann", body)
                #expect((answer.status, answer["field"]) == (400, "uids"))
            }
        }
    }
}
