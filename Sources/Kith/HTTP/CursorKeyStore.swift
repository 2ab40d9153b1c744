import Crypto
import Postgres
import Synchronization

/// What cursors are encrypted with: a secret made once with the schema, read once by each process.
final class CursorKeyStore: Sendable {
    private let db: Database
    private let cached = Mutex<SymmetricKey?>(nil)

    init(db: Database) {
        self.db = db
    }

    /// Each user has a key of their own, so that no key meets as many random nonces as would let two be the same.
    func key(of user: User.ID) async throws -> SymmetricKey {
        // The secret is random already, so that only the second half of HKDF is needed (RFC 5869, 3.3).
        HKDF<SHA256>.expand(
            pseudoRandomKey: try await secret(), info: Array("cursors of ".utf8) + user.uuid.bytes,
            outputByteCount: 32)
    }

    private func secret() async throws -> SymmetricKey {
        if let key = cached.withLock({ $0 }) { return key }
        let bytes = try await db.read.first("SELECT bytes FROM secrets WHERE name = 'cursors'") {
            try $0.next(as: [UInt8].self)
        }
        guard let bytes else { throw MissingSecret() }
        let key = SymmetricKey(data: bytes)
        cached.withLock { $0 = key }
        return key
    }

    /// The row that the migration made was deleted.
    struct MissingSecret: Error {}
}
