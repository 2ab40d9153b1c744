package import Foundation
import Synchronization

/// Caches sessions for a second, as `APIKeyCache` does keys: one that was ended is refused at most a second
/// later, and at the server that ended it at once.
package final class SessionCache: Sendable {
    private static let lifetime: TimeInterval = 1
    private static let most = 1000

    private struct Known {
        var sessions: [[UInt8]: (session: PersonSession, at: Date)] = [:]
        /// When the last use of each was noted.
        var noted: [UUID: Date] = [:]
        /// How often everything was forgotten: what was read before is not kept.
        var generation = 0
    }

    private let store: SessionStore
    private let now: @Sendable () -> Date
    private let known = Mutex(Known())

    package init(store: SessionStore, now: @escaping @Sendable () -> Date) {
        self.store = store
        self.now = now
    }

    /// Returns the session of a secret. Nil if none is in force.
    func session(of secret: SecretText) async throws -> PersonSession? {
        let (name, now) = (secret.sha256, now())
        let (found, generation) = known.withLock { ($0.sessions[name], $0.generation) }
        if let found, found.at <= now, now < found.at + Self.lifetime, found.session.isInForce(at: now) {
            return found.session
        }
        let session = try await store.find(secret, at: now)
        known.withLock { known in
            guard known.generation == generation else { return }
            if known.sessions.count >= Self.most { known.sessions = [:] }
            known.sessions[name] = session.map { ($0, now) }
        }
        if let session { noteUse(of: session, now) }
        return session
    }

    func isStale(_ session: PersonSession) -> Bool { session.beganAt + PersonSession.fresh <= now() }

    /// Forgets all sessions: some ended, or roles changed.
    package func forget() {
        known.withLock { known in
            known.sessions = [:]
            known.generation += 1
        }
    }

    /// Notes the use in a task of its own, so that the call waits for no write.
    private func noteUse(of session: PersonSession, _ now: Date) {
        guard now.timeIntervalSince(session.seenAt) >= PersonSession.noteInterval else { return }
        let isDue = known.withLock { known in
            guard known.noted[session.id].map({ now.timeIntervalSince($0) >= 60 }) ?? true else {
                return false
            }
            if known.noted.count >= Self.most { known.noted = [:] }
            known.noted[session.id] = now
            return true
        }
        guard isDue else { return }
        Task { [store] in try? await store.noteUse(of: session.id, at: now) }
    }
}
