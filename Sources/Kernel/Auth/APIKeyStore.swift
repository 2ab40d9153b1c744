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
        package let rights: APIKey.Rights
        package let createdAt: Date
        /// Who created it, as the audit names them. Nil if the audit does not know.
        package let createdBy: String?
        package let revokedAt: Date?
        package let expiresAt: Date?
        /// When it was last used, exact to an hour.
        package let usedAt: Date?

        package var isInForce: Bool { revokedAt == nil && expiresAt.map { $0 > Date() } ?? true }
    }

    /// Creates a key and returns its text, which is stored nowhere. Throws `IdempotencyKey.WasUsed` if there
    /// is one with this id.
    /// - Parameters:
    ///   - id: nil for a random one.
    ///   - name: 1 to 100 characters, for people to know the key by.
    ///   - actsForUsers: whether it may act for users, if its scope may.
    ///   - days: the number of days after which it is refused. Nil if it never is.
    ///   - actor: who creates it. Nil if the audit need not know.
    package func create(
        id: String? = nil, name: String, scope: APIKey.Scope, actsForUsers: Bool = true,
        expiresIn days: Int? = nil, by actor: AuditActor? = nil, world: World = .live
    ) async throws -> String {
        let key = APIKey(id: id, randomBytes: world.randomBytes)
        var details = ["key": key.id, "scope": scope.rawValue]
        if scope.mayActForUsers { details["actsForUsers"] = "\(actsForUsers)" }
        details["days"] = days.map { "\($0)" }
        let insert: Statement = """
            INSERT INTO api_keys (id, name, scope, acts_for_users, sha256, expires_at, created_by)
            VALUES (\(key.id), \(name), \(scope), \(actsForUsers && scope.mayActForUsers), \(Array(key.sha256)),
                    now() + \(days.map(Double.init)) * interval '1 day', \(actor?.text))
            """
        let act = actor.map { OperatorAct(by: $0, kind: .createKey, details: details) }
        do {
            try await db.write.batch([insert] + AuditStore.note(act))
        } catch let error as PostgresError where id != nil && error.isUniqueViolation {
            throw IdempotencyKey.WasUsed()
        }
        return key.text
    }

    /// Returns the keys, those in force before those that are revoked or expired, oldest first.
    /// - Parameter most: how many. Nil for all.
    package func list(atMost most: Int? = nil) async throws -> [Listed] {
        try await db.read.ofPrimary.query(
            """
            SELECT \(Self.columns) FROM api_keys ORDER BY (\(Self.isInForce)) DESC, created_at, id
            LIMIT \(most.map(Int64.init))
            """, Listed.init(row:))
    }

    /// Returns a key without its secret. Nil if there is none.
    package func show(_ id: String) async throws -> Listed? {
        try await db.read.ofPrimary.first(
            "SELECT \(Self.columns) FROM api_keys WHERE id = \(id)", Listed.init(row:))
    }

    private static let columns: Statement =
        "id, name, scope, acts_for_users, created_at, created_by, revoked_at, expires_at, used_at"

    private enum RevokeOutcome: String, GuardOutcome {
        case unknown = "key_not_found"
    }

    /// Revokes a key. False if no such key is in force.
    /// - Parameter actor: who revokes it. Nil if the audit need not know.
    package func revoke(_ id: String, by actor: AuditActor? = nil) async throws -> Bool {
        let act = actor.map { OperatorAct(by: $0, kind: .revokeKey, details: ["key": id]) }
        return try await db.write.batch(
            [
                "SELECT id FROM api_keys WHERE id = \(id) FOR UPDATE",
                """
                SELECT require(EXISTS (SELECT FROM api_keys WHERE id = \(id) AND revoked_at IS NULL), \(RevokeOutcome.unknown))
                """,
                "UPDATE api_keys SET revoked_at = now() WHERE id = \(id)",
            ] + AuditStore.note(act), unless: RevokeOutcome.unknown) != nil
    }

    /// Returns which of these keys are in force.
    package func inForce(_ ids: [String]) async throws -> Set<String> {
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

    /// Returns what the key with this text may do. Nil if no such key is in force.
    func rights(of text: String) async throws -> APIKey.Rights? {
        guard let key = APIKey(text), let stored = try await find(key.id), key.matches(sha256: stored.sha256)
        else {
            return nil
        }
        return stored.rights
    }

    private func find(_ id: String) async throws -> (rights: APIKey.Rights, sha256: [UInt8])? {
        try await db.read.first(
            """
            SELECT scope, acts_for_users, sha256 FROM api_keys WHERE id = \(id) AND \(Self.isInForce)
            """
        ) { try (APIKey.Rights(&$0), $0.next()) }
    }
}

extension APIKey.Scope: PostgresEncodable, PostgresDecodable {}

extension APIKeyStore.Listed {
    fileprivate init(row: inout Row) throws {
        (id, name, rights) = try (row.next(), row.next(), APIKey.Rights(&row))
        (createdAt, createdBy) = try (row.next(), row.next())
        (revokedAt, expiresAt, usedAt) = try (row.next(), row.next(), row.next())
    }
}

extension APIKey.Rights {
    /// Reads the columns `scope` and `acts_for_users`.
    fileprivate init(_ row: inout Row) throws {
        (scope, actsForUsers) = try (row.next(), row.next())
    }
}
