import Crypto
package import Foundation
import Synchronization

/// Caches keys for a second, so that a client that calls a thousand times a second is looked up once. A
/// revoked key is refused at most a second later.
package final class APIKeyCache: Sendable {
    private static let lifetime: TimeInterval = 1

    private let store: APIKeyStore
    private let now: @Sendable () -> Date
    /// The rights by the SHA-256 of the key's text, so that keys themselves are not kept in memory. Only
    /// valid keys are cached.
    private let known = Mutex<[SHA256Digest: (rights: APIKey.Rights, at: Date)]>([:])
    /// When the last use of each key was noted, by its id.
    private let noted = Mutex<[String: Date]>([:])
    private static let noteInterval: TimeInterval = 3600

    package init(store: APIKeyStore, now: @escaping @Sendable () -> Date) {
        self.store = store
        self.now = now
    }

    /// Returns what the key with this text may do. Nil if no such key is in force.
    func rights(of text: String) async throws -> APIKey.Rights? {
        let (name, now) = (SHA256.hash(data: Array(text.utf8)), now())
        if let key = known.withLock({ $0[name] }), key.at <= now,
            now < key.at.addingTimeInterval(Self.lifetime)
        {
            return key.rights
        }
        let rights = try await store.rights(of: text)
        known.withLock { $0[name] = rights.map { ($0, now) } }
        if rights != nil, let key = APIKey(text) { noteUse(of: key.id, now) }
        return rights
    }

    /// Notes the use in a task of its own, so that the call waits for no write. If the database takes none
    /// now, the next use after an hour is noted.
    private func noteUse(of id: String, _ now: Date) {
        let isDue = noted.withLock { noted in
            guard noted[id].map({ now.timeIntervalSince($0) >= Self.noteInterval }) ?? true else {
                return false
            }
            noted[id] = now
            return true
        }
        guard isDue else { return }
        Task { [store] in try? await store.noteUse(of: id) }
    }
}
