import Foundation
import HTTPTypes
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Web

/// Headers with odd values.
extension BadInputTests {
    @Test(arguments: ["/v1/invites", "/v1/me/invite/rotate"])
    func `an Idempotency-Key must have 1 to 255 visible characters`(path: String) async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let sender = try await Sender(app)
            let before = try await app.footprint()
            // A line break or NUL cannot occur: the header's type replaces it with a space.
            for key in [
                "", "\"\"", String(repeating: "k", count: 256), "a b", "a\u{7F}b", "é", "花", "a\r\nb",
                "a\u{0}b", "\t",
            ] {
                let answer = try await sender.send(
                    .post, path, [.idempotencyKey: key], body: Array("{}".utf8))
                #expect(judge(answer, field: "Idempotency-Key", key))
                #expect(answer.status == 400, "\(key)")
            }
            #expect(try await app.footprint() == before)
            for key in [
                "k", "\"", "\"quoted\"", "../..", String(repeating: "k", count: 255),
                "' OR 1=1--".replacing(" ", with: "+"),
            ] {
                let first = try await sender.send(.post, path, [.idempotencyKey: key], body: Array("{}".utf8))
                let second = try await sender.send(
                    .post, path, [.idempotencyKey: key], body: Array("{}".utf8))
                #expect([200, 201].contains(first.status), "\(key)")
                #expect(second.bytes == first.bytes, "\(key)")
            }
        }
    }

    @Test(arguments: [
        "Accept-Language", "If-None-Match", "Accept", "Cookie", "X-Forwarded-For", "User-Agent", "Range",
        "Expect", "X-Request-Id",
        "Content-Encoding", "If-Modified-Since", "Origin", "Accept-Encoding",
    ])
    func `no header causes a 5xx`(name: String) async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let sender = try await Sender(app)
            let field = try #require(HTTPField.Name(name))
            let values = [
                "", "*", ",,,", ";q=", "en;q=nan,ja;q=1e9", "ja;q=0.5;q=0.6", "\"", "W/\"", "\u{E9}", "花",
                "😀", "%00",
                String(repeating: "a,", count: 4000), "en;q=-1", "\u{7F}", "bytes=0-99999999999999999999",
                "a\r\nb: c",
            ]
            for value in values {
                for path in [
                    "/users/ann?invitedBy=u-ann", "/users/ann/qr.svg", "/users/nobody", "/v1/me", "/v1/x",
                ] {
                    judge(try await sender.send(.get, path, [field: value]), "\(name): \(value) \(path)")
                }
            }
        }
    }

    @Test(arguments: [
        ("Kith-User", "u-ann", "u-bob"), ("Kith-User", "u-ann", "u-ann"), ("Kith-User", "", "u-ann"),
        ("Idempotency-Key", "a", "b"), ("Content-Type", "application/json", "text/plain"),
        ("Content-Type", "application/json", "application/json"), ("Authorization", "Bearer x", "Bearer y"),
    ])
    func `a header about the caller or the body may come only once`(name: String, one: String, other: String)
        async throws
    {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let key = try await APIKeyStore(db: app.db).create(name: "test", scope: .server)
            let field = try #require(HTTPField.Name(name))
            var headers: HTTPFields = [
                .authorization: "Bearer \(key)", .kithUser: "u-ann", .contentType: "application/json",
            ]
            headers[values: field] = [one, other]
            let before = try await contents(app)
            for path in ["/v1/invites", "/v1/signup"] where name != "Idempotency-Key" || path != "/v1/signup"
            {
                let answer = try await app.call(
                    .post, path, headers: headers, body: #"{}"#)
                #expect(judge(answer, field: name, path))
                #expect((answer.status, answer.code) == (400, "invalid_field"))
            }
            #expect(try await contents(app) == before)
        }
    }

    @Test(arguments: ["é", "bob, ann", "a b", "b\u{7F}c", "%zz", "%00", ""])
    func `Kith-User must be visible ASCII, percent-encoded`(uid: String) async throws {
        try await TestApp.run { app in
            let sender = try await Sender(app)
            let answer = try await sender.send(
                .post, "/v1/signup", as: uid, body: Array(#"{"username":"newname"}"#.utf8))
            #expect(judge(answer, field: "Kith-User", uid))
            #expect(answer.status == 400)
            #expect(try await app.count("users") == 0)
        }
    }

    @Test(arguments: [
        ("gzip", false), ("br", false), ("GZIP", false), ("identity, gzip", false), ("*", false),
        ("identity", true), ("Identity", true), ("", true),
    ])
    func `a body with a content coding is refused before it is read`(coding: String, isTaken: Bool)
        async throws
    {
        try await TestApp.run { app in
            let sender = try await Sender(app)
            let answer = try await sender.send(
                .post, "/v1/signup", as: "u-new", [.contentEncoding: coding],
                body: Array(#"{"username":"newname"}"#.utf8))
            guard !isTaken else { return #expect(answer.status == 201) }
            #expect(judge(answer, field: "Content-Encoding", coding))
            #expect((answer.status, answer.code) == (415, "unsupported_media_type"))
            #expect(answer.headers[.acceptEncoding] == "identity")
            #expect(try await app.count("users") == 0)
        }
    }

    @Test func `only the first 32 parts of a list in a header count`() {
        func list(_ parts: [String]) -> HeaderList {
            HeaderList([.ifNoneMatch: parts.joined(separator: ",")], .ifNoneMatch)
        }
        let many = Array(repeating: "a", count: 31)
        #expect(list(many + [" \t x "]).contains(["x"]))
        #expect(!list(many + ["a", "x"]).contains(["x"]))
        #expect(list([" x", "y"]).contains(["x", "z"]))
        #expect(!list(["x y", ""]).contains(["x", "y", ""]))
        #expect(!HeaderList([:], .ifNoneMatch).contains([""]))
    }

    @Test func `every call and every page for operators needs a caller, other pages none`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            for call in Self.calls {
                let answer = try await app.call(call.method, call.path, body: call.body)
                if call.path.hasPrefix("/v1/") || call.path.hasPrefix("/links/"), !call.isConstant {
                    #expect(answer.status == 401, "\(call)")
                    #expect(answer.code == "unauthenticated", "\(call)")
                } else if call.path.hasPrefix("/hooks/") {
                    #expect(answer.code == "appstore_not_set_up", "\(call)")
                } else {
                    #expect([200, 302, 404].contains(answer.status), "\(call)")
                }
            }
        }
    }
}

extension BadInputTests.Call {
    /// Whether only a key calls that acts for nobody.
    var isForKeys: Bool {
        Self.pathsForKeys.contains { path.hasPrefix($0) }
    }

    private static let pathsForKeys = [
        "/fdl", "/links", "/v1/admin", "/v1/link", "/v1/policy", "/v1/values", "/v1/exposures", "/v1/goals",
        "/v1/rewards", "/v1/purchases",
    ]

    /// Whether the answer needs no database, and no caller.
    var isConstant: Bool {
        ["/", "/v1/config", "/robots.txt", "/icon.png", "/apple-app-site-association"].contains(path)
            || path.hasPrefix("/.well-known/")
    }
}
