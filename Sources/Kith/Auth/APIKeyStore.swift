public import Foundation
public import Postgres

/// Every statement on the `api_keys` table.
public struct APIKeyStore: Sendable {
    let db: Database

    public init(db: Database) {
        self.db = db
    }

    /// A key without its secret.
    public struct Listed: Sendable {
        public let id: String
        public let name: String
        public let scope: APIKey.Scope
        public let createdAt: Date
        public let revokedAt: Date?
    }

    /// Creates a key and returns its text, which is stored nowhere.
    /// - Parameter name: 1 to 100 characters, for people to know the key by.
    public func create(name: String, scope: APIKey.Scope, world: World = .live) async throws -> String {
        let key = APIKey(randomBytes: world.randomBytes)
        try await db.write.run(
            """
            INSERT INTO api_keys (id, name, scope, sha256)
            VALUES (\(key.id), \(name), \(scope), \(Array(key.sha256)))
            """)
        return key.text
    }

    /// All keys, including revoked ones, oldest first.
    public func list() async throws -> [Listed] {
        try await db.read.query(
            "SELECT id, name, scope, created_at, revoked_at FROM api_keys ORDER BY created_at, id"
        ) {
            try Listed(
                id: $0.next(), name: $0.next(), scope: $0.next(), createdAt: $0.next(),
                revokedAt: $0.next())
        }
    }

    /// False if no such key is in force.
    public func revoke(_ id: String) async throws -> Bool {
        try await db.write.run(
            "UPDATE api_keys SET revoked_at = now() WHERE id = \(id) AND revoked_at IS NULL") > 0
    }

    /// The scope of the key with this text; nil if no such key is in force.
    func scope(of text: String) async throws -> APIKey.Scope? {
        guard let key = APIKey(text), let stored = try await find(key.id), key.matches(sha256: stored.sha256)
        else {
            return nil
        }
        return stored.scope
    }

    private func find(_ id: String) async throws -> (scope: APIKey.Scope, sha256: [UInt8])? {
        try await db.read.first("SELECT scope, sha256 FROM api_keys WHERE id = \(id) AND revoked_at IS NULL")
        {
            try ($0.next(), $0.next())
        }
    }
}

extension APIKey.Scope: PostgresEncodable, PostgresDecodable {}
