import Crypto
import Foundation
package import Logging
import Postgres
import ServiceLifecycle
import Synchronization
import Web

/// Exchanges counts of allowed calls with the other servers once a second, through the database. Each server
/// decides alone, so a client that calls several servers may use its quota at each, for a second. Without the
/// database each server continues alone.
package final class RateLimitService: Service {
    private let limiter: RateLimiter
    private let store: RateLimitStore
    private let logger: Logger
    private let secret = Mutex<SymmetricKey?>(nil)
    private static let secondsBetweenSweeps = 60
    /// How many keys are exchanged in one transaction. After an outage there may be thousands, and a
    /// transaction keeps the rows of its keys from other servers.
    private static let keysAtOnce = 200

    package init(limiter: RateLimiter, store: RateLimitStore, logger: Logger) {
        self.limiter = limiter
        self.store = store
        self.logger = logger
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            var seconds = 0
            await Periodic("rate limits are not shared", every: .seconds(1), logger: logger).run {
                seconds += 1
                try await exchange()
                if seconds % Self.secondsBetweenSweeps == 0 { try await sweep() }
            }
        }
    }

    /// Runs one exchange. Counts that could not be written are kept for the next.
    func exchange() async throws {
        var left = Array(limiter.takeUnshared())
        while !left.isEmpty {
            let part = left.suffix(Self.keysAtOnce)
            do {
                try await exchange(part)
            } catch {
                limiter.tellOthers(left)
                throw error
            }
            left.removeLast(part.count)
        }
    }

    private func exchange(_ calls: some Collection<RateLimiter.Calls>) async throws {
        let here = limiter.microseconds()
        guard let secret = try await knownSecret(), let now = try await store.now() else { return }
        var names: [UUID: RateLimitKey] = [:]
        var spent: [(key: UUID, microseconds: Int64)] = []
        for (key, calls) in calls {
            guard let rate = limiter.config.limits[key.limit] else { continue }
            let name = key.name(by: secret)
            names[name] = key
            let isOver = max(0, here - calls.since)
            spent.append((name, max(0, Int64(calls.calls) * rate.cost - isOver)))
        }
        spent.sort { $0.key.uuidString < $1.key.uuidString }
        let used = try await store.add(spent, at: now)
        limiter.learn(
            Dictionary(
                used.compactMap { name, used in names[name].map { ($0, used) } }, uniquingKeysWith: max),
            at: here)
    }

    func sweep() async throws {
        if let now = try await store.now() { try await store.sweep(at: now) }
    }

    private func knownSecret() async throws -> SymmetricKey? {
        if let known = secret.withLock({ $0 }) { return known }
        let found = try await store.secret()
        secret.withLock { $0 = found }
        return found
    }
}

extension RateLimitKey {
    /// Returns the key's name in the database. Without the secret it does not show whose it is.
    fileprivate func name(by secret: SymmetricKey) -> UUID {
        let text = "\(limit.name)|\(subject.high)|\(subject.low)"
        return HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: secret).withUnsafeBytes {
            UUID(uuid: $0.loadUnaligned(as: uuid_t.self))
        }
    }
}
