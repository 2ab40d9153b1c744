import Foundation
import Logging
import Web

/// The provider's current keys: fetches them on demand, caches them, and refreshes them in time, one fetch at
/// a time.
package actor JWKSSource {
    /// Where keys come from.
    package struct Origin: Sendable {
        /// The place as the log names it.
        let place: String
        var load: @Sendable () async throws -> (jwks: Data, maxAge: Duration)
    }

    private let origin: Origin
    private let now: @Sendable () -> ContinuousClock.Instant
    private let logger: Logger
    private var refresh = JWKSRefresh()
    private var held: (keys: JWKS, jwks: Data)?
    private var fetching: Task<Void, Never>?
    init(
        _ origin: Origin, logger: Logger,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.origin = origin
        self.logger = logger
        self.now = now
    }

    /// Returns the keys, if the named one is among them. Unknown ids cost at most one fetch a minute in
    /// total.
    /// - Parameter age: how long ago the token that names it was issued.
    func keys(for name: KeyID, issued age: Duration) async throws(IDTokenError) -> JWKS {
        let call = now()
        switch refresh.decision(knowsKey: holds(name), at: call) {
        case .use: break
        case .useAndFetch: fetch()
        case .fetch: await fetch().value
        // A fetch that is under way may bring the key.
        case .giveUp: await fetching?.value
        }
        guard let held, refresh.hasKeys(at: now()) else { throw .keysUnavailable }
        guard held.keys.contains(name) else {
            guard !held.keys.refutes(name),
                let wait = refresh.postponement(ofTokenIssued: age, since: call, at: now())
            else {
                throw .unknownKey(name.kid)
            }
            postponed += 1
            throw .keyPostponed(name.kid, retryAfter: Int(wait.components.seconds))
        }
        return held.keys
    }

    /// How many tokens were answered with a 503 since the start, because nobody could know yet whether the
    /// provider has their key.
    private(set) var postponed = 0

    /// Whether the last fetch failed.
    var isFailing: Bool { refresh.isFailing }

    private func holds(_ name: KeyID) -> Bool { held?.keys.contains(name) ?? false }

    @discardableResult
    private func fetch() -> Task<Void, Never> {
        if let fetching { return fetching }
        refresh.begin(at: now())
        let task = Task {
            await load()
            fetching = nil
        }
        fetching = task
        return task
    }

    private func load() async {
        do {
            let (jwks, maxAge) = try await origin.load()
            if jwks != held?.jwks {
                held = (try await JWKS(jwks: jwks, version: (held?.keys.version ?? 0) + 1), jwks)
            }
            refresh.succeed(at: now(), maxAge: maxAge)
        } catch {
            refresh.fail(at: now())
            logger.warning(
                "could not fetch the identity provider's keys",
                metadata: ["error": "\(error)", "place": "\(origin.place)"])
        }
    }
}

extension JWKSSource.Origin {
    /// Returns the origin for a JWKS on the web.
    static func url(_ url: URL, _ http: HTTPFetch) -> Self {
        var place = URLComponents(url: url, resolvingAgainstBaseURL: false)
        place?.user = nil
        place?.password = nil
        return Self(place: place?.string ?? "") {
            let answer = try await http.get(url)
            guard answer.status == 200 else { throw UnexpectedStatus(status: answer.status) }
            return (answer.body, JWKSRefresh.maxAge(answer.cacheControl))
        }
    }

    /// Returns the origin for a JWKS in a file, which is read again every minute.
    static func file(_ path: String) -> Self {
        Self(place: path) { (try Data(contentsOf: URL(fileURLWithPath: path)), JWKSRefresh.pause) }
    }

    struct UnexpectedStatus: Error, CustomStringConvertible {
        let status: Int

        var description: String { "it answered with status \(status) instead of 200" }
    }
}
