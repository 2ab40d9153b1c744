package import Foundation
package import Postgres
package import Web

/// Every statement on the `api_keys` table.
package struct APIKeyStore: Sendable {
    let db: Database

    package init(db: Database) {
        self.db = db
    }

    /// A key without its secret.
    package struct Listed: Sendable {
        package let id: String
        package let name: String
        package let scope: APIKey.Scope
        package let createdAt: Date
        package let revokedAt: Date?
        package let expiresAt: Date?
        /// When it was last used, exact to an hour.
        package let usedAt: Date?

        package var isInForce: Bool { revokedAt == nil && expiresAt.map { $0 > Date() } ?? true }
    }

    /// Creates a key and returns its text, which is stored nowhere.
    /// - Parameters:
    ///   - name: 1 to 100 characters, for people to know the key by.
    ///   - days: the number of days after which it is refused. Nil if it never is.
    package func create(
        name: String, scope: APIKey.Scope, expiresIn days: Int? = nil, world: World = .live
    ) async throws -> String {
        let key = APIKey(randomBytes: world.randomBytes)
        try await db.write.run(
            """
            INSERT INTO api_keys (id, name, scope, sha256, expires_at)
            VALUES (\(key.id), \(name), \(scope), \(Array(key.sha256)), now() + \(days.map(Double.init)) * interval '1 day')
            """)
        return key.text
    }

    /// Returns all keys, including revoked ones, oldest first.
    package func list() async throws -> [Listed] {
        try await db.read.query(
            """
            SELECT id, name, scope, created_at, revoked_at, expires_at, used_at FROM api_keys ORDER BY created_at, id
            """
        ) {
            try Listed(
                id: $0.next(), name: $0.next(), scope: $0.next(), createdAt: $0.next(),
                revokedAt: $0.next(), expiresAt: $0.next(), usedAt: $0.next())
        }
    }

    /// Revokes a key. False if no such key is in force.
    package func revoke(_ id: String) async throws -> Bool {
        try await db.write.run(
            "UPDATE api_keys SET revoked_at = now() WHERE id = \(id) AND revoked_at IS NULL") > 0
    }

    /// Returns which of these keys are in force.
    func inForce(_ ids: [String]) async throws -> Set<String> {
        Set(
            try await db.read.query("SELECT id FROM api_keys WHERE id = ANY(\(ids)) AND \(Self.isInForce)") {
                try $0.next()
            })
    }

    private static let isInForce: Statement =
        "revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())"

    /// Notes that a call came with the key. The database writes it at most once an hour, however many servers
    /// note it.
    func noteUse(of id: String) async throws {
        try await db.write.run(
            """
            UPDATE api_keys SET used_at = now()
            WHERE id = \(id) AND (used_at IS NULL OR used_at < now() - interval '1 hour')
            """)
    }

    /// Returns the scope of the key with this text. Nil if no such key is in force.
    func scope(of text: String) async throws -> APIKey.Scope? {
        guard let key = APIKey(text), let stored = try await find(key.id), key.matches(sha256: stored.sha256)
        else {
            return nil
        }
        return stored.scope
    }

    private func find(_ id: String) async throws -> (scope: APIKey.Scope, sha256: [UInt8])? {
        try await db.read.first(
            """
            SELECT scope, sha256 FROM api_keys WHERE id = \(id) AND \(Self.isInForce)
            """
        ) { try ($0.next(), $0.next()) }
    }
}

extension APIKey.Scope: PostgresEncodable, PostgresDecodable {}
