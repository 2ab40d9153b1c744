import Postgres
import Schema

/// Whether the database has what requests need, asked of its catalogue: it waits for no lock on a table that
/// requests use.
struct SchemaStore: Sendable {
    let db: Database

    /// What is wrong, with what to do; nil if requests can be answered.
    func trouble() async throws -> String? {
        do {
            return try await difference()
        } catch let error as PostgresError {
            guard let advice = error.advice else { throw error }
            return advice
        }
    }

    private func difference() async throws -> String? {
        let (readable, writable) = (Self.tables, Self.tables.filter { !Self.onlyRead.contains($0) })
        let found = try await db.read.with(deadline: .seconds(2)).first(
            """
            SELECT (SELECT max(version) FROM schema_migrations)::int8,
                   string_agg(name, ', ' ORDER BY name) FILTER (WHERE to_regclass(name) IS NULL),
                   string_agg(name, ', ' ORDER BY name) FILTER (
                       WHERE NOT has_table_privilege(to_regclass(name)::oid, 'SELECT')
                          OR name = ANY(\(writable))
                             AND NOT has_table_privilege(to_regclass(name)::oid, 'INSERT')
                          OR name = 'users' AND NOT has_table_privilege(to_regclass(name)::oid, 'UPDATE'))
            FROM unnest(\(readable)) AS needed (name)
            """
        ) {
            try (
                version: $0.next(as: Int?.self), missing: $0.next(as: String?.self),
                barred: $0.next(as: String?.self)
            )
        }
        guard let found else { return nil }
        if let missing = found.missing {
            return "the database has not the tables \(missing): \(SchemaAdvice.look)"
        }
        if let barred = found.barred {
            return "the role may not use the tables \(barred): \(SchemaAdvice.grant)"
        }
        // A newer one is that of a kith to come, beside which this one serves on.
        let version = found.version ?? 0
        if version < Self.version { return "the schema is older than this kith: run `kith migrate`" }
        return nil
    }

    /// All that there are.
    static let tables = [
        "acceptances", "api_keys", "dismissals", "link_uses", "links", "links_by_owner", "rate_limits",
        "relationships", "schema_migrations", "secrets", "signups", "username_periods", "usernames", "users",
    ]
    /// By those who serve.
    private static let onlyRead: Set = ["api_keys", "schema_migrations", "secrets"]
    private static let version = Migration.all.last?.version ?? 0
}
