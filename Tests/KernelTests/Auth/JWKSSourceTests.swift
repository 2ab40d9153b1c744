import Foundation
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Web

/// Answers while the provider rotates its keys, is slow or down, or sends garbage.
@Suite(.timeLimit(.minutes(1))) struct JWKSSourceTests {
    private let rsa = KeyID(kid: "rsa", algorithm: .rs256)
    private let second = KeyID(kid: "second", algorithm: .rs256)
    private let both = TokenForge.jwks(
        TokenForge.jwk, TokenForge.jwk(rsa: TestKeys.otherRSAModulus, kid: "second"))
    private let provider = FakeProvider(TokenForge.jwks(TokenForge.jwk))

    @Test func `keys are fetched once and kept`() async throws {
        let source = provider.source
        for _ in 0..<10 { _ = try await source.keys(for: rsa) }
        #expect(provider.fetches == 1)
    }

    @Test func `all requests before the first keys share one fetch`() async throws {
        let source = provider.source
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<100 { group.addTask { _ = try await source.keys(for: rsa) } }
            try await group.waitForAll()
        }
        #expect(provider.fetches == 1)
    }

    @Test func `the log says which address gave no keys and why, without a password in it`() async throws {
        let lines = LogLines()
        let url = try #require(URL(string: "https://me:secret@id.example.com/jwks"))
        let source = JWKSSource(.url(url, provider.http), logger: lines.logger, now: provider.uptime)
        provider.answers(status: 404, Data())
        await #expect(throws: (any Error).self) { try await source.keys(for: rsa) }
        let told = lines.all.joined(separator: "\n")
        #expect(told.contains("could not fetch the identity provider's keys"), "\(told)")
        #expect(told.contains("it answered with status 404 instead of 200"), "\(told)")
        #expect(told.contains("https://id.example.com/jwks") && !told.contains("secret"), "\(told)")
    }

    @Test func `a new key is found when a token names it`() async throws {
        let source = provider.source
        let old = try await source.keys(for: rsa)
        provider.answers(both)
        provider.advance(.seconds(60))
        let new = try await source.keys(for: second)
        #expect(new.contains(rsa) && new.version != old.version)
        #expect(provider.fetches == 2)
    }

    @Test func `a flood of unknown key ids makes one fetch a minute`() async throws {
        let source = provider.source
        _ = try await source.keys(for: rsa)
        for minute in 1...3 {
            provider.advance(.seconds(60))
            await withTaskGroup { group in
                for number in 0..<1000 {
                    group.addTask {
                        let name = KeyID(kid: "\(minute) \(number)", algorithm: .rs256)
                        await #expect(throws: IDTokenError.unknownKey(name.kid)) {
                            try await source.keys(for: name)
                        }
                    }
                }
            }
            #expect(provider.fetches == 1 + minute)
        }
        provider.advance(.seconds(59))
        await #expect(throws: IDTokenError.unknownKey("second")) { try await source.keys(for: second) }
        #expect(provider.fetches == 4)
    }

    typealias Answer = @Sendable () async throws -> HTTPFetch.Answer

    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let answer: Answer

        init(_ name: String, _ answer: @escaping Answer) {
            (testDescription, self.answer) = (name, answer)
        }

        init(_ name: String, status: Int = 200, _ body: String) {
            self.init(name) { HTTPFetch.Answer(status: status, body: Data(body.utf8)) }
        }
    }

    static let faults = [
        Fault("down") { throw FakeProvider.Down() },
        Fault("500", status: 500, #"{"keys":[]}"#),
        Fault("302", status: 302, ""),
        Fault("a 404 that carries keys") {
            HTTPFetch.Answer(status: 404, body: TokenForge.jwks(TokenForge.jwk))
        },
        Fault("HTML", "<html>down for maintenance</html>"),
        Fault("empty", ""),
        Fault("no keys", #"{"keys":[]}"#),
        Fault("keys an object", #"{"keys":{}}"#),
        Fault(
            "bad keys only",
            #"{"keys":[1,null,"x",{"kty":"RSA","kid":"rsa"},{"kty":"oct","kid":"rsa","k":"AA"}]}"#),
    ]

    @Test(arguments: faults) func `known keys keep working while the provider fails`(_ fault: Fault)
        async throws
    {
        let source = provider.source
        _ = try await source.keys(for: rsa)
        provider.respond(fault.answer)
        for _ in 0..<23 {
            provider.advance(.seconds(3600))
            _ = try await source.keys(for: rsa)
            await #expect(throws: IDTokenError.unknownKey("second")) { try await source.keys(for: second) }
        }
        provider.advance(.seconds(3600))
        await #expect(throws: IDTokenError.keysUnavailable) { try await source.keys(for: rsa) }
    }

    @Test(arguments: faults) func `without any keys the provider is asked every ten seconds`(_ fault: Fault)
        async throws
    {
        let source = provider.source
        provider.respond(fault.answer)
        for _ in 0..<5 {
            await #expect(throws: IDTokenError.keysUnavailable) { try await source.keys(for: rsa) }
        }
        #expect(provider.fetches == 1)
        provider.answers(both)
        provider.advance(.seconds(10))
        _ = try await source.keys(for: rsa)
        #expect(provider.fetches == 2)
    }

    @Test func `a known key does not wait for a slow provider, but an unknown one does`() async throws {
        let source = provider.source
        _ = try await source.keys(for: rsa)
        let (gate, open) = AsyncStream<Void>.makeStream()
        let both = both
        provider.respond {
            for await _ in gate {}
            return HTTPFetch.Answer(status: 200, body: both)
        }
        provider.advance(.seconds(3600))
        for _ in 0..<10 { #expect(try await source.keys(for: rsa).contains(second) == false) }
        async let waiting = source.keys(for: second)
        open.finish()
        #expect(try await waiting.contains(second))
        #expect(provider.fetches == 2)
    }

    @Test func `a key withdrawn while no request came is refused at once`() async throws {
        let source = FakeProvider(both)
        let keys = source.source
        _ = try await keys.keys(for: rsa)
        source.answers(TokenForge.jwks(TokenForge.jwk(rsa: TestKeys.otherRSAModulus, kid: "second")))
        source.advance(.seconds(3600 + 60))
        await #expect(throws: IDTokenError.unknownKey("rsa")) { try await keys.keys(for: rsa) }
        #expect(source.fetches == 2)
    }

    @Test func `a file is read again after a minute`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "jwks-\(UUID()).json")
        defer { try? FileManager.default.removeItem(at: file) }
        try TokenForge.jwks(TokenForge.jwk).write(to: file)
        let source = JWKSSource(.file(file.path), logger: FakeProvider.silence, now: provider.uptime)
        _ = try await source.keys(for: rsa)
        try both.write(to: file)
        await #expect(throws: IDTokenError.unknownKey("second")) { try await source.keys(for: second) }
        provider.advance(.seconds(60))
        _ = try await source.keys(for: second)
        try FileManager.default.removeItem(at: file)
        provider.advance(.seconds(3600))
        _ = try await source.keys(for: second)
    }

    @Test func `a key that is withdrawn from a file is believed for less than two minutes`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "jwks-\(UUID()).json")
        defer { try? FileManager.default.removeItem(at: file) }
        for (seconds, isBelieved) in [(119, true), (120, false)] {
            try both.write(to: file)
            let source = JWKSSource(.file(file.path), logger: FakeProvider.silence, now: provider.uptime)
            _ = try await source.keys(for: second)
            try TokenForge.jwks(TokenForge.jwk).write(to: file)
            provider.advance(.seconds(seconds))
            let keys = try? await source.keys(for: second)
            #expect((keys != nil) == isBelieved)
        }
        #expect(try RepositoryFile.read("docs/servers.md").contains("From a file: 2 minutes"))
    }

    @Test func `a key that was published after the last fetch is postponed to the next one`() async throws {
        let source = provider.source
        _ = try await source.keys(for: rsa)
        provider.answers(both)
        provider.advance(.seconds(20))
        // 20 seconds ago, by a clock that may be a minute behind or before.
        for age in [0, 20, 80] {
            await #expect(throws: IDTokenError.keyPostponed("second", retryAfter: 40)) {
                try await source.keys(for: second, issued: .seconds(age))
            }
        }
        await #expect(throws: IDTokenError.unknownKey("second")) {
            try await source.keys(for: second, issued: .seconds(81))
        }
        #expect(await source.postponed == 3)
        provider.advance(.seconds(40))
        _ = try await source.keys(for: second, issued: .seconds(0))
        #expect(provider.fetches == 2)
    }

    @Test func `a flood of invented ids lets tokens of known keys pass, and old ones of withdrawn keys fail`()
        async throws
    {
        let provider = FakeProvider(both)
        let source = provider.source
        _ = try await source.keys(for: rsa)
        provider.answers(TokenForge.jwks(TokenForge.jwk))
        for minute in 1...3 {
            provider.advance(.seconds(60))
            // The first asks the provider, which has no such key; the others cannot ask so soon again.
            await #expect(throws: IDTokenError.unknownKey("\(minute)")) {
                try await source.keys(for: KeyID(kid: "\(minute)", algorithm: .rs256), issued: .zero)
            }
            provider.advance(.seconds(1))
            for number in 0..<50 {
                let name = KeyID(kid: "\(minute) \(number)", algorithm: .rs256)
                await #expect(throws: IDTokenError.keyPostponed(name.kid, retryAfter: 59)) {
                    try await source.keys(for: name, issued: .zero)
                }
            }
            _ = try await source.keys(for: rsa)
            await #expect(throws: IDTokenError.unknownKey("second")) {
                try await source.keys(for: second, issued: .seconds(62))
            }
        }
        #expect(provider.fetches == 4)
    }

    @Test func `an id that is known for another algorithm is refused, however new the token`() async throws {
        let source = provider.source
        _ = try await source.keys(for: rsa)
        provider.advance(.seconds(1))
        await #expect(throws: IDTokenError.unknownKey("rsa")) {
            try await source.keys(for: KeyID(kid: "rsa", algorithm: .eddsa), issued: .zero)
        }
        await #expect(throws: IDTokenError.keyPostponed(nil, retryAfter: 59)) {
            try await source.keys(for: KeyID(kid: nil, algorithm: .eddsa), issued: .zero)
        }
    }

    @Test func `while the provider is away, only tokens older than the keys have an unknown key`()
        async throws
    {
        let source = provider.source
        _ = try await source.keys(for: rsa)
        provider.goesDown()
        provider.advance(.seconds(1800))
        await #expect(throws: IDTokenError.keyPostponed("second", retryAfter: 60)) {
            try await source.keys(for: second, issued: .seconds(60))
        }
        await #expect(throws: IDTokenError.unknownKey("second")) {
            try await source.keys(for: second, issued: .seconds(1861))
        }
    }
}

extension JWKSSource {
    /// Of a token that is older than the keys.
    func keys(for name: KeyID) async throws(IDTokenError) -> JWKS {
        try await keys(for: name, issued: .seconds(86_400))
    }
}
