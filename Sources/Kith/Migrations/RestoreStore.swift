public import Postgres

/// What an operator does after a backup was restored.
public struct RestoreStore: Sendable {
    let db: Database

    public init(db: Database) {
        self.db = db
    }

    /// Has each phone that syncs load everything once more: by this secret `FriendSyncStore` names the database.
    public func forgetPhones() async throws {
        let secret = (0..<32).map { _ in UInt8.random(in: .min ... .max) }
        try await db.write.run("UPDATE secrets SET bytes = \(secret) WHERE name = 'sync'")
    }
}
