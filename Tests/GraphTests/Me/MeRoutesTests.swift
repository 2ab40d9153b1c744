import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Graph
@testable import Kernel
@testable import Kith
@testable import Web

/// `GET /v1/me`, `GET /v1/config`, and answers that a client keeps.
@Suite(.inTurns) struct MeRoutesTests {
    @Test func `a phone that was set up anew learns who invited its user, and the user's link`() async throws
    {
        try await TestApp.run { app in
            try await app.signUp("ann")
            try await app.signUp("bob", invite: TestApp.link("ann", "u-ann"))
            let me = try await app.get("/v1/me", as: "u-bob")
            #expect(me["invitedBy.username"] == "ann")
            let link = try await app.get("/v1/me/invite", as: "u-bob")
            for key in ["url", "shortUrl", "code", "qr.svg"] {
                #expect(me["link.\(key)"] == link[key], "\(key)")
            }
            #expect(try await app.get("/v1/me", as: "u-ann")["invitedBy"] == nil)
            try await app.setStatus("suspended", of: "u-ann")
            #expect(try await app.get("/v1/me", as: "u-bob")["invitedBy"] == nil)
            try await app.setStatus("active", of: "u-ann")
            try await app.act(.block, "u-ann", on: "u-bob")
            #expect(try await app.get("/v1/me", as: "u-bob")["invitedBy.uid"] == "u-ann")
            #expect(try await app.call(.delete, "/v1/me", as: "u-ann").status == 204)
            #expect(try await app.get("/v1/me", as: "u-bob")["invitedBy"] == nil)
        }
    }

    @Test func `counts are as long as the lists, also with users who are away`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let people = try await app.people("p", 9)
            for uid in people[0..<3] { try await app.befriend("u-ann", uid) }
            for uid in people[3..<5] { try await app.act(.want, uid, on: "u-ann") }
            for uid in people[5..<9] { try await app.act(.want, "u-ann", on: uid) }
            func counts() async throws -> [String?] {
                let me = try await app.get("/v1/me", as: "u-ann")
                return ["friends", "incoming", "outgoing"].map { me["counts.\($0)"] }
            }
            #expect(try await counts() == ["3", "2", "4"])
            for uid in [people[0], people[3], people[5]] { try await app.setStatus("suspended", of: uid) }
            #expect(try await counts() == ["2", "1", "4"])
            #expect(try await app.friends("u-ann").count == 2)
            #expect(try await app.requests("incoming", "u-ann").count == 1)
            #expect(try await app.requests("outgoing", "u-ann").count == 4)
        }
    }

    @Test func `rename tells when another name can be chosen`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            func rename() async throws -> (String?, String?) {
                let me = try await app.get("/v1/me", as: "u-ann")
                return (me["rename.availableAt"], me["rename.correctionsLeft"])
            }
            #expect(try await rename() == (nil, "1"))
            try await app.rename("u-ann", to: "anna")
            #expect(try await rename() == (nil, "0"))
            try await app.rename("u-ann", to: "annie")
            #expect(try await rename() == (nil, "1"))
            try await app.rename("u-ann", to: "annika")
            let (at, left) = try await rename()
            #expect(left == "0")
            let refused = try await app.put("/v1/me/username", as: "u-ann", ["username": "another"])
            #expect(refused.status == 429 && at != nil, "\(refused.text)")
        }
    }

    @Test(arguments: ["/v1/me", "/v1/me/invite", "/v1/me/changes", "/v1/config"])
    func `what a client has is a 304, until it changes`(path: String) async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            try await app.signUp("bob", invite: TestApp.link("ann", "u-ann"))
            let uid = path == "/v1/config" ? nil : "u-ann"
            let first = try await app.get(path, as: uid)
            let tag = try #require(first.headers[.eTag])
            #expect(
                first.headers[.cacheControl]?.hasPrefix(uid == nil ? "public" : "private, no-cache") == true)
            for text in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
                let again = try await app.get(path, as: uid, headers: [.ifNoneMatch: text])
                #expect(again.status == 304 && again.bytes.isEmpty, "\(text)")
                #expect(again.headers[.eTag] == tag)
                let head = again.headers.reduce(0) {
                    $0 + $1.name.rawName.utf8.count + $1.value.utf8.count + 4
                }
                #expect(head < 300, "\(again.headers)")
            }
            for text in ["", "\"x\"", tag.lowercased() + "x", "\"\(tag)\""] {
                #expect(
                    try await app.get(path, as: uid, headers: [.ifNoneMatch: text]).status == 200, "\(text)")
            }
            guard uid != nil else { return }
            try await app.rename("u-ann", to: "anna")
            try await app.rename("u-bob", to: "bert")
            let changed = try await app.get(path, as: uid, headers: [.ifNoneMatch: tag])
            #expect(changed.status == 200 && changed.headers[.eTag] != tag)
        }
    }

    @Test func `the same lists of two users have tags of their own`() async throws {
        try await TestApp.run { app in
            for name in ["ann", "bob"] { try await app.signUp(name) }
            for path in ["/v1/me", "/v1/me/invite", "/v1/me/changes"] {
                let tag = try #require(try await app.get(path, as: "u-ann").headers[.eTag])
                let others = try await app.get(path, as: "u-bob", headers: [.ifNoneMatch: tag])
                #expect(others.status == 200 && others.headers[.eTag] != tag, "\(path)")
            }
        }
    }

    @Test func `config tells what apps need, to everybody`() async throws {
        try await TestApp.run(configure: { config in
            config.app.name = "Tea"
            config.usernames.rules.length = 4...20
            config.friends.friends = 77
            config.avatarHosts = AvatarHosts("cdn.example.org") ?? .none
            config.invites.byName = .ask
        }) { app in
            let config = try await app.get("/v1/config")
            #expect(config.status == 200)
            #expect(config["app.name"] == "Tea")
            #expect(config["limits.friends"] == "77")
            #expect(config["limits.page"] == "100" && config["limits.friendPage"] == "500")
            #expect(config["invites.byName"] == "requested")
            #expect((config.json["languages"] as? [String])?.contains("ja") == true)
            #expect(
                (config.json["profiles"] as? [String: Any])?["avatarHosts"] as? [String] == [
                    "cdn.example.org"
                ])
            let version = try RepositoryFile.read("openapi.yaml").firstMatch(of: /\n  version: (\S+)\n/)?
                .output.1
            #expect(config["version"] == version.map(String.init))
            let pattern = try Regex(try #require(config["usernames.pattern"]))
            let policy = app.app.config.usernames
            for name in [
                "abc", "abcd", "a__b", "1abc", "a_b_", String(repeating: "a", count: 20), "a-bc", "Abcd",
            ] {
                let isAllowed = (try? policy.rules.username(name)) != nil
                #expect((name.wholeMatch(of: pattern) != nil) == isAllowed, "\(name)")
            }
        }
    }
}
