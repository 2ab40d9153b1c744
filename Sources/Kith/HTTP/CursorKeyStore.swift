import Crypto
import Postgres
import Synchronization

/// What cursors are signed with: made once with the schema, read once by each process.
final class CursorKeyStore: Sendable {
    private let db: Database
    private let cached = Mutex<SymmetricKey?>(nil)

    init(db: Database) {
        self.db = db
    }

    func key() async throws -> SymmetricKey {
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
