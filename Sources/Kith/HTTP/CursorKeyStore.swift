import Crypto
import Foundation
import Postgres
import Synchronization

/// The keys of cursors, derived from a secret that the schema creates once and each process reads once.
final class CursorKeyStore: Sendable {
    private let db: Database
    private let cached = Mutex<[SymmetricKey]>([])

    init(db: Database) {
        self.db = db
    }

    /// Users share 256 keys, so that no key is used with more than 2^32 random nonces, beyond which two may be equal (NIST SP
    /// 800-38D, 8.3).
    func key(of owner: UUID) async throws -> SymmetricKey {
        let number = Int(owner.uuid.0)
        if let key = cached.withLock({ $0.isEmpty ? nil : $0[number] }) { return key }
        let bytes = try await db.read.first("SELECT bytes FROM secrets WHERE name = 'cursors'") {
            try $0.next(as: [UInt8].self)
        }
        guard let bytes else { throw MissingSecret() }
        let keys = Self.keys(from: SymmetricKey(data: bytes))
        cached.withLock { $0 = keys }
        return keys[number]
    }

    /// The secret is already random, so only the second half of HKDF is needed (RFC 5869, 3.3).
    private static func keys(from secret: SymmetricKey) -> [SymmetricKey] {
        (UInt8.min ... .max).map { number in
            HKDF<SHA256>.expand(
                pseudoRandomKey: secret, info: Array("cursors ".utf8) + [number], outputByteCount: 32)
        }
    }

    /// The row of the secret, which a migration inserted, is missing.
    struct MissingSecret: Error {}
}
