import Crypto
import Foundation
package import Postgres
import Synchronization

/// The secret of unguessable codes, which the schema creates once and each process reads once.
package final class LinkSecretStore: Sendable {
    private let db: Database
    private let cached = Mutex<SymmetricKey?>(nil)

    package init(db: Database) {
        self.db = db
    }

    func key() async throws -> SymmetricKey {
        if let key = cached.withLock({ $0 }) { return key }
        let bytes = try await db.read.first("SELECT bytes FROM secrets WHERE name = 'links'") {
            try $0.next(as: [UInt8].self)
        }
        guard let bytes else { throw Missing() }
        let key = SymmetricKey(data: bytes)
        cached.withLock { $0 = key }
        return key
    }

    /// The error that the row of the secret, which a migration inserted, is missing.
    struct Missing: Error {}
}
