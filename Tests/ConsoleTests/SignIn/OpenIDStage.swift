import Crypto
import Foundation
import HTTPTypes
import Synchronization
import Testing

@testable import AppTesting
@testable import Console
@testable import Kernel
@testable import Kith
@testable import Web

/// An OpenID Connect provider, as far as Kith's requests reach it.
final class OpenIDStage: Sendable {
    static let issuer = TokenForge.issuer
    static let secret = "s3cret/with:odd chars"

    /// What it does, which a test changes.
    struct Behaviour: Sendable {
        /// Claims as JSON, beside those of the attempt.
        var claims: [String: String?] = [
            "email": #""Ann@Example.com""#, "email_verified": "true",
        ]
        var methods: [String]? = ["client_secret_basic", "client_secret_post"]
        var documentIssuer = OpenIDStage.issuer
        var isAway = false
        /// The status of the token's answer, if not what the code deserves.
        var tokenStatus: Int?
        var repeatsNonce = true
    }

    private struct Code {
        var nonce: String
        var challenge: String
    }

    let clock = MovedClock(TokenForge.now)
    private let forge: TokenForge
    private let behaviour = Mutex(Behaviour())
    private let codes = Mutex<[String: Code]>([:])
    private let fetched = Mutex(0)

    /// How often Kith asked for anything by GET.
    var documents: Int { fetched.withLock { $0 } }

    init() async throws { forge = try await TokenForge() }

    func change(_ change: (inout Behaviour) -> Void) { behaviour.withLock { change(&$0) } }

    var world: World {
        var world = clock.world
        world.fetch = HTTPFetch { [self] url in try get(url) }
        world.post = HTTPPost { [self] url, headers, body in try post(url, headers, body) }
        return world
    }

    func configure(_ config: inout Config) {
        TestApp.withConsole(&config)
        config.console.issuer = Self.issuer
        (config.console.clientID, config.console.clientSecret) = (TokenForge.audience, Self.secret)
    }

    /// Asks at the provider's page: the person agrees. Returns the code that the browser brings back.
    func agree(at location: String) throws -> (code: String, state: String) {
        let url = try #require(try? WebURL(location))
        #expect(url.origin == Self.issuer && url.path == "/authorize")
        let query = Query(url.query)
        for (name, value) in [
            ("response_type", "code"), ("client_id", TokenForge.audience), ("code_challenge_method", "S256"),
            ("redirect_uri", "\(TestApp.console)/sign-in/openid/callback"),
        ] { #expect(try query.value(name) == value) }
        #expect(try query.value("scope")?.hasPrefix("openid email") == true)
        let code = UUID().uuidString
        let nonce = try #require(try query.value("nonce"))
        let challenge = try #require(try query.value("code_challenge"))
        let state = try #require(try query.value("state"))
        #expect(Set([nonce, challenge, state]).count == 3)
        codes.withLock { $0[code] = Code(nonce: nonce, challenge: challenge) }
        return (code, state)
    }

    private func get(_ url: URL) throws -> HTTPFetch.Answer {
        fetched.withLock { $0 += 1 }
        let behaviour = behaviour.withLock { $0 }
        guard !behaviour.isAway else { throw HTTPFetch.Failure.refused }
        if url.path == "/keys" { return HTTPFetch.Answer(status: 200, body: forge.jwks) }
        #expect(url.absoluteString == "\(Self.issuer)/.well-known/openid-configuration")
        let methods =
            behaviour.methods.map {
                #","token_endpoint_auth_methods_supported":\#($0.json)"#
            } ?? ""
        let document =
            #"{"issuer":"\#(behaviour.documentIssuer)","authorization_endpoint":"\#(Self.issuer)/authorize","#
            + #""token_endpoint":"\#(Self.issuer)/token","jwks_uri":"\#(Self.issuer)/keys"\#(methods)}"#
        return HTTPFetch.Answer(status: 200, body: Data(document.utf8))
    }

    private func post(_ url: URL, _ headers: [String: String], _ body: Data) throws -> HTTPFetch.Answer {
        let behaviour = behaviour.withLock { $0 }
        guard !behaviour.isAway else { throw HTTPFetch.Failure.refused }
        #expect(url.absoluteString == "\(Self.issuer)/token")
        let form = Query(String(decoding: body, as: UTF8.self))
        if let status = behaviour.tokenStatus {
            return HTTPFetch.Answer(status: status, body: Data("<html>".utf8))
        }
        let pair = Data("\(TokenForge.audience):\(PercentEncoding.encode(Self.secret))".utf8)
        let isBasic = headers["Authorization"] == "Basic \(pair.base64EncodedString())"
        let isInBody = try form.value("client_secret") == Self.secret
        #expect(isBasic != isInBody)
        #expect(isBasic == (behaviour.methods?.contains("client_secret_basic") ?? true))
        // A code is redeemed once.
        let code = try codes.withLock { codes in
            try form.value("code").flatMap { codes.removeValue(forKey: $0) }
        }
        let verifier = try form.value("code_verifier") ?? ""
        guard let code, Data(SHA256.hash(data: Data(verifier.utf8))).base64URL == code.challenge else {
            return HTTPFetch.Answer(status: 400, body: Data(#"{"error":"invalid_grant"}"#.utf8))
        }
        var claims: [String: String?] = [
            "nonce": "\"\(behaviour.repeatsNonce ? code.nonce : "another")\""
        ]
        for (name, value) in behaviour.claims { claims[name] = value }
        let token = try forge.token(claims: claims)
        return HTTPFetch.Answer(
            status: 200,
            body: Data(#"{"access_token":"x","token_type":"Bearer","id_token":"\#(token)"}"#.utf8))
    }
}

/// A browser that signs in with the provider.
struct OpenIDBrowser {
    let app: TestApp
    let stage: OpenIDStage
    var session: String?

    /// Begins, and returns the cookie of the attempt, and where the browser is sent.
    func start(_ query: String = "") async throws -> (cookie: String, location: String) {
        let answer = try await app.get("/sign-in/openid\(query)", headers: app.browser(session, origin: nil))
        try #require(answer.status == 303, "\(answer.text)")
        let cookie = try #require(answer.headers[values: .setCookie].first)
        for part in ["__Host-kith-openid=", "Secure", "HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=600"] {
            #expect(cookie.contains(part), "\(cookie)")
        }
        return (
            try #require(answer.cookie(OpenIDAttempt.cookieName)), try #require(answer.headers[.location])
        )
    }

    func end(_ cookie: String?, code: String, state: String) async throws -> TestApp.Answer {
        let cookies = [cookie, session].compactMap(\.self).joined(separator: "; ")
        return try await app.get(
            "/sign-in/openid/callback?code=\(code)&state=\(state)",
            headers: app.browser(cookies.isEmpty ? nil : cookies, origin: nil))
    }

    /// Goes the whole way.
    func signIn(_ query: String = "") async throws -> TestApp.Answer {
        let (cookie, location) = try await start(query)
        let (code, state) = try stage.agree(at: location)
        return try await end(cookie, code: code, state: state)
    }
}
