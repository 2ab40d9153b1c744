import Foundation
import Logging
import Synchronization

@testable import AppTesting
@testable import Kernel
@testable import Web

/// An identity provider and a clock that the test controls.
final class FakeProvider: Sendable {
    private struct State {
        var answer: @Sendable () async throws -> HTTPFetch.Answer
        var fetches = 0
        var uptime = ContinuousClock.now
    }

    static let silence = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private let state: Mutex<State>

    init(_ jwks: Data, cacheControl: String? = "public, max-age=3600") {
        state = Mutex(
            State(answer: { Self.answer(200, cacheControl, jwks) }))
    }

    private static func answer(_ status: Int, _ cacheControl: String?, _ body: Data) -> HTTPFetch.Answer {
        HTTPFetch.Answer(
            status: status, headers: cacheControl.map { ["cache-control": $0] } ?? [:], body: body)
    }

    struct Down: Error {}

    var fetches: Int { state.withLock { $0.fetches } }

    func answers(status: Int = 200, cacheControl: String? = "max-age=3600", _ body: Data) {
        respond { Self.answer(status, cacheControl, body) }
    }

    func goesDown() {
        respond { throw Down() }
    }

    func respond(_ answer: @escaping @Sendable () async throws -> HTTPFetch.Answer) {
        state.withLock { $0.answer = answer }
    }

    func advance(_ time: Duration) {
        state.withLock { $0.uptime += time }
    }

    var uptime: @Sendable () -> ContinuousClock.Instant {
        { self.state.withLock { $0.uptime } }
    }

    var http: HTTPFetch {
        HTTPFetch { _ in
            let answer = self.state.withLock {
                $0.fetches += 1
                return $0.answer
            }
            return try await answer()
        }
    }

    var source: JWKSSource {
        JWKSSource(
            .url(URL(filePath: "/unused"), http), logger: Self.silence,
            now: uptime)
    }

    func verifier(
        _ config: AuthConfig = AuthConfig(
            jwks: "https://id.example.com/jwks", issuer: TokenForge.issuer, audience: TokenForge.audience)
    ) throws -> TokenVerifier {
        var world = World.live
        world.now = { TokenForge.now }
        world.fetch = http
        return try TokenVerifier(
            config, world: world, logger: Self.silence, uptime: uptime)
    }
}
