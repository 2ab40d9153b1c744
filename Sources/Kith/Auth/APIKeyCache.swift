import Crypto
import Foundation
import Synchronization

/// The keys that called within the last second, so that one that calls a thousand times a second is looked up once.
/// A revoked key is refused after a second at the latest.
final class APIKeyCache: Sendable {
    private static let lifetime: TimeInterval = 1

    private let store: APIKeyStore
    private let now: @Sendable () -> Date
    /// By the SHA-256 of the text, so that keys themselves are not kept in memory. Only what is a key gets in.
    private let known = Mutex<[SHA256Digest: (scope: APIKey.Scope, at: Date)]>([:])

    init(store: APIKeyStore, now: @escaping @Sendable () -> Date) {
        self.store = store
        self.now = now
    }

    /// What the bearer of this text may do; nil if it is no key in force.
    func scope(of text: String) async throws -> APIKey.Scope? {
        let (name, now) = (SHA256.hash(data: Array(text.utf8)), now())
        if let key = known.withLock({ $0[name] }), key.at <= now,
            now < key.at.addingTimeInterval(Self.lifetime)
        {
            return key.scope
        }
        let scope = try await store.scope(of: text)
        known.withLock { $0[name] = scope.map { ($0, now) } }
        return scope
    }
}
