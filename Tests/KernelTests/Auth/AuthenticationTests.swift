import Foundation
import HTTPTypes
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith
@testable import Web

/// Which credentials the API accepts, and for which user.
@Suite(.inTurns) struct AuthenticationTests {
    private func ask(
        _ app: TestApp, _ authorization: String?, user: String? = nil, _ path: String = "/v1/me"
    ) async throws -> TestApp.Answer {
        var headers: HTTPFields = [:]
        headers[.authorization] = authorization
        headers[.kithUser] = user
        return try await app.get(path, headers: headers)
    }

    private func key(_ app: TestApp, _ scope: APIKey.Scope) async throws -> String {
        try await APIKeyStore(db: app.db).create(name: "test", scope: scope)
    }

    /// A key that the application does not know, with an issuer and an audience that it does.
    private static let stranger = Result {
        try DevelopmentKey(
            folder: FileManager.default.temporaryDirectory.appending(path: "kith-test-stranger-\(getpid())"))
    }

    private static func base64(_ json: String) -> String { Data(json.utf8).base64URL }

    @Test func `every invalid token that is not expired gets one and the same 401`() async throws {
        let good = try await TestApp.key.get().sign(uid: "u-ann")
        let parts = good.split(separator: ".").map(String.init)
        let now = Date()
        let none = Self.base64(#"{"alg":"none","typ":"JWT"}"#)
        let hmac = Self.base64(#"{"alg":"HS256","typ":"JWT","kid":"x"}"#)
        let lower = Self.base64(#"{"alg":"es256","typ":"JWT","kid":"x"}"#)
        let other = Self.base64(
            #"{"sub":"u-eve","iss":"kith-dev","aud":"kith-dev","iat":1,"exp":9999999999}"#)
        let broken = [
            "x", "a.b.c", "..", "...", "\(good).", ".\(good)", "\(good).\(parts[2])",
            "\(parts[0]).\(parts[1])",
            "\(parts[0]).\(parts[1]).", "\(none).\(parts[1]).", "\(none).\(parts[1]).\(parts[2])",
            "\(hmac).\(parts[1]).\(parts[2])", "\(lower).\(parts[1]).\(parts[2])",
            "\(parts[0]).\(other).\(parts[2])", "\(parts[1]).\(parts[0]).\(parts[2])",
            "\(parts[0]).\(parts[1]).\(String(parts[2].reversed()))", "\(good)=", "\(good)AA", good + good,
            good.replacing(".", with: " "), String(repeating: "a", count: 9000), "\(good)\u{E9}",
            try await TestApp.key.get().sign(uid: "u-ann", at: now + 3600),
            try await TestApp.key.get().sign(uid: ""),
            try await TestApp.key.get().sign(uid: String(repeating: "u", count: 129)),
            try await TestApp.key.get().sign(uid: "u\u{0}ann"),
            try await TestApp.key.get().sign(uid: "u\nann"),
            // One that was issued since the last fetch of keys might be of a newer key: 503.
            try await Self.stranger.get().sign(uid: "u-ann", at: now - 300),
        ]
        try await TestApp.run { app in
            try await app.signUp("ann")
            #expect(try await ask(app, "Bearer \(good)").status == 200)
            var bodies: Set<String> = []
            for token in broken {
                let answer = try await ask(app, "Bearer \(token)")
                #expect(answer.status == 401, "\(token)")
                #expect(answer.code == "token_invalid")
                #expect(answer.headers[.wwwAuthenticate] == Self.invalid)
                #expect(answer.headers[.contentType] == "application/problem+json")
                bodies.insert(answer.text.replacing(try #require(answer["requestId"]), with: ""))
            }
            #expect(bodies.count == 1)
        }
    }

    private static let invalid =
        #"Bearer error="invalid_token", error_description="The token is not valid here""#

    @Test(arguments: ["issuer", "audience"])
    func `a token for another service is refused`(claim: String) async throws {
        try await TestApp.run(configure: { config in
            if claim == "issuer" { config.auth.issuer = "other" } else { config.auth.audience = "other" }
        }) { (app) async throws in
            let answer = try await app.get("/v1/me", as: "u-ann")
            #expect((answer.status, answer.code) == (401, "token_invalid"))
            #expect(answer.headers[.wwwAuthenticate] == Self.invalid)
        }
    }

    @Test(arguments: ["", "issuer", "audience", "signature"])
    func `of an expired token the caller learns that, and nothing else that is wrong with it`(wrong: String)
        async throws
    {
        let key = try wrong == "signature" ? Self.stranger.get() : TestApp.key.get()
        let token = try await key.sign(uid: "u-ann", at: Date() - 8 * 86_400)
        try await TestApp.run(configure: { config in
            if wrong == "issuer" { config.auth.issuer = "other" }
            if wrong == "audience" { config.auth.audience = "other" }
        }) { app in
            let answer = try await ask(app, "Bearer \(token)")
            #expect((answer.status, answer.code) == (401, "token_expired"))
            #expect(
                answer.headers[.wwwAuthenticate]
                    == #"Bearer error="invalid_token", error_description="The token has expired""#)
        }
    }

    @Test(arguments: ["", "Basic dTpw", "Bearer", "Bearer ", "Token x", "bearer", "Digest a=b", "Bearerx y"])
    func `no other scheme is accepted`(header: String) async throws {
        try await TestApp.run { app in
            let answer = try await ask(app, header)
            #expect(answer.status == 401)
            #expect(answer.code == "unauthenticated")
        }
    }

    @Test func `the scheme may be in any case, and space around the token does not matter`() async throws {
        let token = try await TestApp.key.get().sign(uid: "u-ann")
        try await TestApp.run { app in
            try await app.signUp("ann")
            for header in ["bearer \(token)", "BEARER   \(token)", "Bearer \(token) "] {
                #expect(try await ask(app, header).status == 200)
            }
        }
    }

    @Test(arguments: [APIKey.Scope.server, .admin])
    func `a server or admin key acts for a user`(scope: APIKey.Scope) async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            try await app.signUp("hana", uid: "花 子%")
            let key = try await key(app, scope)
            #expect(try await ask(app, "Bearer \(key)", user: "u-ann")["username"] == "ann")
            #expect(try await ask(app, "Bearer \(key)", user: "u%2Dann")["username"] == "ann")
            #expect(
                try await ask(app, "Bearer \(key)", user: PercentEncoding.encode("花 子%"))["username"]
                    == "hana")
            #expect(try await ask(app, "Bearer \(key)", user: "nobody").code == "not_signed_up")
        }
    }

    @Test(arguments: [
        "", "a b", "%", "%00", "a%00b", "%ff", "%C0%80", "%ED%A0%80", "%0A", "%7F",
        String(repeating: "u", count: 129),
        String(repeating: "u", count: 300), String(repeating: "%E8%8A%B1", count: 129),
    ])
    func `a Kith-User that cannot be a uid is a 400`(user: String) async throws {
        try await TestApp.run { app in
            let answer = try await ask(app, "Bearer \(key(app, .server))", user: user)
            #expect(answer.status == 400)
            #expect(answer["field"] == "Kith-User")
            #expect(answer["detail"]?.contains("percent-encoded if it has a space, `%` or anything") == true)
        }
    }

    @Test func `a key without a user is accepted only by calls that need none`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            for scope in [APIKey.Scope.client, .server, .admin] {
                let key = try await key(app, scope)
                let answer = try await ask(app, "Bearer \(key)")
                #expect((answer.status, answer.code) == (403, "forbidden"))
                let free = try await ask(app, "Bearer \(key)", "/v1/usernames/free")
                #expect(free["available"] == "1")
                #expect(try await ask(app, "Bearer \(key)", "/v1/usernames/ann")["reason"] == "taken")
            }
        }
    }

    @Test func `a client key cannot act for a user`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let answer = try await ask(app, "Bearer \(key(app, .client))", user: "u-ann")
            #expect((answer.status, answer.code) == (403, "forbidden"))
        }
    }

    @Test func `a user cannot act for another`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            try await app.signUp("bob")
            let token = try await TestApp.key.get().sign(uid: "u-bob")
            let refused = try await ask(app, "Bearer \(token)", user: "u-ann")
            #expect((refused.status, refused.code) == (403, "forbidden"))
            #expect(try await ask(app, "Bearer \(token)", user: "%zz")["field"] == "Kith-User")
            #expect(try await ask(app, "Bearer \(token)", user: "u%2Dbob")["uid"] == "u-bob")
        }
    }

    @Test(arguments: [
        (nil, "unauthenticated", #"Bearer realm="Kith""#),
        ("Basic YTpi", "unauthenticated", #"Bearer realm="Kith""#),
        ("Bearer x", "token_invalid", invalid), ("Bearer kith_x", "token_invalid", invalid),
    ])
    func `an error of the token is told only to callers who sent one`(
        header: String?, code: String, challenge: String
    ) async throws {
        try await TestApp.run { app in
            for path in ["/v1/me", "/v1/usernames/free", "/v1/admin/users/u-ann/invitees"] {
                let answer = try await ask(app, header, path)
                #expect((answer.status, answer.code) == (401, code))
                #expect(answer.headers[.wwwAuthenticate] == challenge)
            }
        }
    }

    @Test func `a revoked, changed or made-up key is a 401`() async throws {
        try await TestApp.run { app in
            let store = APIKeyStore(db: app.db)
            let (revoked, good) = (try await key(app, .server), try await key(app, .server))
            #expect(try await store.revoke(try #require(APIKey(revoked)).id))
            #expect(try await store.list().filter { $0.revokedAt != nil }.count == 1)
            #expect(try await ask(app, "Bearer \(good)").status == 403)
            let last = good.hasSuffix("0") ? "1" : "0"
            let broken = [
                revoked, good.dropLast() + last, "kith_", "kith__", "kith_x_y", good + "0",
                String(good.dropLast()), good.uppercased().replacing("KITH_", with: "kith_"),
                good.replacing("_", with: "-"), String(good.dropFirst("kith_".count)),
                APIKey(randomBytes: World.live.randomBytes).text, "kith_%00", "kith_\u{1F600}",
            ]
            var bodies: Set<String> = []
            for text in broken {
                let answer = try await ask(app, "Bearer \(text)", user: "u-ann")
                #expect((answer.status, answer.code) == (401, "token_invalid"), "\(text)")
                bodies.insert(answer.text.replacing(try #require(answer["requestId"]), with: ""))
            }
            #expect(bodies.count == 1)
        }
    }

    @Test func `a key is looked up once a second, so a revoked one is refused a second later`() async throws {
        try await TestApp.run { app in
            let clock = Mutex(Date(timeIntervalSince1970: 1_000_000_000))
            let keys = APIKeyCache(store: APIKeyStore(db: app.db)) { clock.withLock { $0 } }
            func scope(_ text: String, at offset: TimeInterval) async throws -> APIKey.Scope? {
                clock.withLock { $0 = Date(timeIntervalSince1970: 1_000_000_000 + offset) }
                return try await keys.rights(of: text)?.scope
            }
            let (key, other) = (try await key(app, .server), try await key(app, .admin))
            #expect(try await scope(key, at: 0) == .server)
            #expect(try await APIKeyStore(db: app.db).revoke(try #require(APIKey(key)).id))
            #expect(try await scope(key, at: 0.999) == .server)
            #expect(try await scope(other, at: 0.999) == .admin)
            #expect(try await scope(key, at: 1) == nil)
            #expect(try await scope(other, at: 1.998) == .admin)
            #expect(try await APIKeyStore(db: app.db).revoke(try #require(APIKey(other)).id))
            #expect(try await scope(other, at: 1.998) == .admin, "known for a second")
            #expect(try await scope(other, at: 0.9) == nil, "a clock that was set back")
        }
    }

    @Test func `only the hash of a key is stored`() async throws {
        try await TestApp.run { app in
            let key = try await key(app, .server)
            let secret = try #require(key.split(separator: "_").last)
            let rows = try await app.db.read.query("SELECT api_keys::text FROM api_keys") {
                try $0.next(as: String.self)
            }
            #expect(rows.count == 1)
            #expect(!rows[0].contains(secret))
            #expect(!rows[0].contains(Data(secret.utf8).map { String($0, radix: 16) }.joined()))
        }
    }
}
