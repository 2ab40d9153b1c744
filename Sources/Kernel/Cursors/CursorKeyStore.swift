package import Crypto
import Foundation
package import Postgres
import Synchronization
import Web

/// The keys of cursors, derived from a secret that the schema creates once and each process reads once.
package final class CursorKeyStore: Sendable {
    private let db: Database
    private let cached = Mutex<Keys?>(nil)

    private struct Keys {
        let secret: SymmetricKey
        let cursors: [SymmetricKey]
    }

    package init(db: Database) {
        self.db = db
    }

    /// Returns the key of a user's cursors. Users share 256 keys, so that no key is used with more than 2^32
    /// random nonces, beyond which two may be equal (NIST SP 800-38D, 8.3).
    func key(of owner: UUID) async throws -> SymmetricKey {
        try await keys().cursors[Int(owner.uuid.0)]
    }

    /// Derives a key for one purpose. It reveals none of the others.
    package func key(for purpose: String) async throws -> SymmetricKey {
        HKDF<SHA256>.expand(
            pseudoRandomKey: try await keys().secret, info: Array(purpose.utf8), outputByteCount: 32)
    }

    private func keys() async throws -> Keys {
        if let keys = cached.withLock({ $0 }) { return keys }
        let bytes = try await db.read.first("SELECT bytes FROM secrets WHERE name = 'cursors'") {
            try $0.next(as: [UInt8].self)
        }
        guard let bytes else { throw MissingSecret() }
        let secret = SymmetricKey(data: bytes)
        let keys = Keys(secret: secret, cursors: Self.keys(from: secret))
        cached.withLock { $0 = keys }
        return keys
    }

    /// Derives the 256 keys. The secret is already random, so only the second half of HKDF is needed (RFC
    /// 5869, 3.3).
    private static func keys(from secret: SymmetricKey) -> [SymmetricKey] {
        (UInt8.min ... .max).map { number in
            HKDF<SHA256>.expand(
                pseudoRandomKey: secret, info: Array("cursors ".utf8) + [number], outputByteCount: 32)
        }
    }

    /// The row of the secret, which a migration inserted, is missing.
    struct MissingSecret: Error {}
}
