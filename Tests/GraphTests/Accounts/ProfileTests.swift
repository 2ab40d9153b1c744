import Foundation
import HTTPTypes
import HummingbirdTesting
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Graph
@testable import Kernel
@testable import Kith
@testable import Web

/// Avatar and metadata: set, refused, removed, and shown wherever a profile is.
@Suite(.inTurns) struct ProfileTests {
    static let picture = "https://cdn.example.org/a.png?w=1&h=2"

    private func run(_ test: @Sendable (TestApp) async throws -> Void) async throws {
        try await TestApp.run(
            configure: { $0.avatarHosts = AvatarHosts("cdn.example.org") ?? .none }, .router, test)
    }

    private func patch(_ app: TestApp, _ body: Body, as uid: String = "u-ann") async throws -> TestApp.Answer
    {
        try await app.call(.patch, "/v1/me", as: uid, body: body)
    }

    @Test func `avatar and metadata are given at sign-up, changed, and removed`() async throws {
        try await run { app in
            let first = try await app.post(
                "/v1/signup", as: "u-ann",
                ["username": "ann", "avatarUrl": Self.picture, "metadata": ["b": "2", "a": "花"]])
            #expect(first.status == 201)
            #expect(first["user.avatarUrl"] == Self.picture)
            #expect(first["user.metadata.a"] == "花")
            let again = try await app.post("/v1/signup", as: "u-ann", ["username": "ann"])
            #expect(again.bytes == first.bytes)
            let me = try await app.get("/v1/me", as: "u-ann")
            #expect(me["avatarUrl"] == Self.picture)
            #expect(me.json["metadata"] as? [String: String] == ["a": "花", "b": "2"])

            // The map is replaced as a whole; what is not given stays.
            #expect(
                try await patch(app, ["metadata": ["c": "3"]]).json["metadata"] as? [String: String] == [
                    "c": "3"
                ])
            #expect(try await app.get("/v1/me", as: "u-ann")["avatarUrl"] == Self.picture)
            // Many encoders write what is absent as null.
            let before = try await app.get("/v1/me", as: "u-ann")
            let nulls: Body = #"{"displayName":null,"metadata":null,"avatarUrl":null,"invites":null}"#
            #expect(try await patch(app, nulls).status == 200)
            #expect(try await app.get("/v1/me", as: "u-ann").bytes == before.bytes)

            let removed = try await patch(app, #"{"metadata":{},"avatarUrl":""}"#)
            #expect(removed.status == 200)
            #expect(removed["avatarUrl"] == nil && removed["metadata"] == nil)
            let after = try await app.get("/v1/me", as: "u-ann")
            #expect(after["avatarUrl"] == nil && after["metadata"] == nil)
        }
    }

    @Test func `without hosts of the operator's no avatar is taken`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let refused = try await patch(app, ["avatarUrl": Self.picture])
            #expect((refused.status, refused.code) == (422, "avatar_url_invalid"))
            #expect(refused["detail"]?.contains("KITH_AVATAR_HOSTS") == true)
            #expect(try await patch(app, ["avatarUrl": ""]).status == 200)
        }
    }

    @Test func `a port on an allowed host is refused by name`() async throws {
        try await run { app in
            try await app.signUp("ann")
            let refused = try await patch(app, ["avatarUrl": "https://cdn.example.org:8443/a.png"])
            #expect((refused.status, refused.code) == (422, "avatar_url_invalid"))
            #expect(refused["detail"]?.contains("a port other than 443") == true)
        }
    }

    private static let long = String(repeating: "x", count: 1013)

    @Test(arguments: [
        (#"{"metadata":1}"#, 400), (#"{"metadata":"a"}"#, 400), (#"{"metadata":["a"]}"#, 400),
        (#"{"metadata":{"a":1}}"#, 400), (#"{"metadata":{"a":true}}"#, 400),
        (#"{"metadata":{"a":null}}"#, 400),
        (#"{"metadata":{"a":{"b":"c"}}}"#, 400), (#"{"metadata":{"a":["b"]}}"#, 400),
        (#"{"metadata":{"a":"\u0000"}}"#, 400), (#"{"metadata":{"a":"1","a":"2"}}"#, 400),
        (#"{"metadata":{"a":"\n"}}"#, 422), (#"{"metadata":{"a":"\u0085"}}"#, 422),
        (#"{"metadata":{"":"a"}}"#, 422), (#"{"metadata":{"a b":"a"}}"#, 422),
        (#"{"metadata":{"花":"a"}}"#, 422), (#"{"metadata":{"a":"\#(long)xxxx"}}"#, 422),
        (#"{"metadata":{"\#(String(repeating: "k", count: 65))":"a"}}"#, 422),
        (#"{"metadata":{"\#(String(repeating: "k", count: 128))":"a"}}"#, 422),
        (#"{"metadata":{"\#(String(repeating: "k", count: 129))":"a"}}"#, 400),
        ("{\"metadata\":{\((1...17).map { "\"k\($0)\":\"\"" }.joined(separator: ","))}}", 422),
        (#"{"avatarUrl":1}"#, 400), (#"{"avatarUrl":["a"]}"#, 400),
        (#"{"avatarUrl":"javascript:alert(1)"}"#, 422), (#"{"avatarUrl":"https://evil.example/a"}"#, 422),
        (#"{"avatarUrl":" "}"#, 422), (#"{"avatarUrl":"https://cdn.example.org/\u0000"}"#, 400),
    ])
    func `a body with another avatar or metadata is refused and writes nothing`(body: String, status: Int)
        async throws
    {
        try await run { app in
            try await app.signUp("ann")
            let before = try await app.footprint()
            let field = body.hasPrefix("{\"avatar") ? "avatarUrl" : "metadata"
            for answer in [
                try await patch(app, Body(stringLiteral: body)),
                try await app.post(
                    "/v1/signup", as: "u-new",
                    Body(stringLiteral: #"{"username":"newbie","# + body.dropFirst())),
            ] {
                #expect(answer.status == status, "\(answer.text)")
                #expect(answer["field"]?.hasPrefix(field) == true, "\(answer.text)")
            }
            #expect(try await app.footprint() == before)
        }
    }

    @Test func `1,024 bytes of metadata and the longest names fit in every index`() async throws {
        try await run { app in
            try await app.signUp("bob")
            var random = SystemRandomNumberGenerator()
            // Text that PostgreSQL cannot compress.
            func noise(_ count: Int, _ range: ClosedRange<UInt32>) -> String {
                String(
                    String.UnicodeScalarView(
                        (0..<count).compactMap { _ in Unicode.Scalar(UInt32.random(in: range, using: &random))
                        }))
            }
            let uid = noise(128, 0x20000...0x2A6D0)
            let (name, strings) = (noise(64, 0x20000...0x2A6D0), noise(338, 0x4E00...0x9FA5))
            _ = try await app.importUsers("uid,username\n\(uid),\(name)\n", keepNames: true)
            let body: Body = [
                "displayName": noise(75, 0x20000...0x2A6D0),
                "avatarUrl": "https://cdn.example.org/" + noise(488, 0x30...0x39),
                "metadata": ["abc": strings],
            ]
            #expect(User.Metadata(["abc": strings])?.json.utf8.count == 1024)
            #expect(User.Metadata(["abcd": strings]) == nil)
            try await app.befriend(uid, "u-bob")
            let answer = try await patch(app, body, as: uid)
            #expect(answer.status == 200, "\(answer.text)")
            let friends = try await app.get("/v1/friends", as: "u-bob").json["friends"] as? [[String: Any]]
            #expect(friends?.first?["metadata"] as? [String: String] == ["abc": strings])
            #expect(try await app.get("/v1/friends?order=name", as: "u-bob").status == 200)
            try await app.verify()
        }
    }

    @Test func `avatar and metadata show wherever a profile does, and in delta sync`() async throws {
        try await run { app in
            for name in ["ann", "cat", "dan", "eve"] { try await app.signUp(name) }
            try await app.signUp("bob", invite: TestApp.link("ann", "u-ann"))
            for (one, other) in [("ann", "cat"), ("bob", "cat"), ("cat", "eve")] {
                try await app.befriend("u-\(one)", "u-\(other)")
            }
            try await app.act(.want, "u-ann", on: "u-dan")
            try await app.act(.block, "u-eve", on: "u-ann")
            let next = try await app.get("/v1/me/changes", as: "u-bob")["next"] ?? ""
            let waiting = try await app.get("/v1/me/changes", as: "u-dan")["next"] ?? ""
            #expect(
                try await patch(app, ["avatarUrl": Self.picture, "metadata": ["level": "7"]]).status == 200)
            for (uid, path, list) in [
                ("bob", "/v1/friends", "friends"), ("bob", "/v1/friends?order=name", "friends"),
                ("bob", "/v1/friends?prefix=an", "friends"), ("bob", "/v1/friends/u-cat/mutual", "friends"),
                ("dan", "/v1/requests", "requests"), ("eve", "/v1/blocks", "blocks"),
                ("bob", "/v1/me/changes?after=\(next)", "changes"),
                ("dan", "/v1/me/changes?after=\(waiting)", "changes"), ("dan", "/v1/me/changes", "changes"),
            ] {
                let listed = try await app.get(path, as: "u-\(uid)").json[list] as? [[String: Any]] ?? []
                let ann = listed.first { $0["uid"] as? String == "u-ann" }
                #expect(ann?["avatarUrl"] as? String == Self.picture, "\(path)")
                #expect(ann?["metadata"] as? [String: String] == ["level": "7"], "\(path)")
            }
            let profile = try await app.get("/v1/users/u-ann", as: "u-dan")
            #expect(profile["avatarUrl"] == Self.picture && profile["metadata.level"] == "7")
            for invite in [TestApp.link("ann", "u-ann"), ["username": "ann"]] {
                let resolved = try await app.post("/v1/invites/resolve", as: "u-new", invite)
                #expect(
                    resolved["inviter.avatarUrl"] == Self.picture && resolved["inviter.metadata.level"] == "7"
                )
            }
            let joined = try await app.post(
                "/v1/signup", as: "u-new", ["username": "newbie", "invite": TestApp.link("ann", "u-ann")])
            #expect(joined["invite.inviter.avatarUrl"] == Self.picture, "\(joined.text)")
            #expect(joined["invite.inviter.metadata.level"] == "7")
            #expect(
                try await app.post("/v1/signup", as: "u-new", ["username": "newbie"])[
                    "invite.inviter.metadata.level"]
                    == "7")
            for (uid, count) in [("u-ann", 1), ("u-bob", 2), ("u-eve", 1), ("u-new", 2)] {
                let export = try await app.get("/v1/me/export", as: uid).text
                #expect(export.components(separatedBy: "\"level\":\"7\"").count - 1 >= count, "\(uid)")
            }
            try await app.verify()
        }
    }

    @Test func `a deletion leaves no avatar and no metadata`() async throws {
        try await run { app in
            let body: Body = ["username": "ann", "avatarUrl": Self.picture, "metadata": ["secret": "s3cr3t"]]
            #expect(try await app.post("/v1/signup", as: "u-ann", body).status == 201)
            try await app.signUp("bob", invite: TestApp.link("ann", "u-ann"))
            let page = try await app.get("/v1/me/changes", as: "u-bob")
            #expect(page.text.contains("s3cr3t"))
            #expect(try await app.call(.delete, "/v1/me", as: "u-ann").status == 204)
            for table in ["users", "relationships", "signups"] {
                let found = try await app.db.read.first(
                    Statement(
                        text: "SELECT count(*) FROM \(table) t WHERE t::text ~ 's3cr3t|cdn.example.org'")
                ) { try $0.next(as: Int.self) }
                #expect(found == 0, "\(table)")
            }
            try await app.verify()
        }
    }

    @Test func `two phones that change different parts of the profile at once lose nothing`() async throws {
        try await run { app in
            try await app.signUp("ann")
            try await app.signUp("bob", invite: TestApp.link("ann", "u-ann"))
            for round in 1...3 {
                async let one = patch(app, ["displayName": "Ann \(round)"])
                async let other = patch(app, ["avatarUrl": "https://cdn.example.org/\(round)"])
                async let third = patch(app, ["metadata": ["round": "\(round)"]])
                let statuses = try await [one.status, other.status, third.status]
                #expect(statuses == [200, 200, 200])
                let me = try await app.get("/v1/me", as: "u-ann")
                #expect(me["displayName"] == "Ann \(round)")
                #expect(me["avatarUrl"] == "https://cdn.example.org/\(round)")
                #expect(me["metadata.round"] == "\(round)")
            }
            let friends = try await app.get("/v1/friends", as: "u-bob").text
            #expect(friends.contains("Ann 3") && friends.contains("\"round\":\"3\""))
            let before = try await app.footprint()
            let same: Body = ["metadata": ["round": "3"], "displayName": "Ann 3"]
            #expect(try await patch(app, same).status == 200)
            #expect(try await app.footprint() == before)
            #expect(try await patch(app, ["metadata": ["round": "4"]]).status == 200)
            let eleventh = try await patch(app, ["displayName": "Ann"])
            #expect((eleventh.status, eleventh.code) == (429, "profile_cooldown"))
            try await app.verify()
        }
    }

    @Test func `a removed host is no longer allowed on pages`() throws {
        let hosts = try #require(AvatarHosts("*.example.com,cdn.example.org"))
        let policy = ContentSecurityPolicy.header(styles: [], pictures: hosts.sources)
        #expect(policy.contains("img-src 'self' data: https://*.example.com https://cdn.example.org; "))
        #expect(hosts.shown(Self.picture) == Self.picture)
        #expect(AvatarHosts("*.example.com")?.shown(Self.picture) == nil)
    }
}
