import Postgres
import Schema

/// Whether the database has what requests need, asked of its catalogue: it waits for no lock on a table that
/// requests use.
struct SchemaStore: Sendable {
    let db: Database

    /// What is wrong, with what to do; nil if requests can be answered.
    /// - Parameter before: what was wrong when this was last asked.
    func trouble(before: String? = nil) async throws -> String? {
        do {
            if let difference = try await difference() { return difference }
        } catch let error as PostgresError {
            guard let advice = error.advice else { throw error }
            return advice
        }
        return await takesNoWrites() ?? (before == SchemaAdvice.readOnly) ? SchemaAdvice.readOnly : nil
    }

    private func difference() async throws -> String? {
        let found = try await db.read.with(deadline: .seconds(2)).first(
            """
            SELECT (SELECT max(version) FROM schema_migrations)::int8,
                   (SELECT string_agg(name, ', ' ORDER BY name) FROM unnest(\(Self.functions)) AS needed (name)
                    WHERE NOT EXISTS (
                        SELECT FROM pg_proc WHERE proname = name AND pg_function_is_visible(oid))),
                   string_agg(name, ', ' ORDER BY name) FILTER (WHERE to_regclass(name) IS NULL),
                   string_agg(name, ', ' ORDER BY name) FILTER (
                       WHERE NOT has_table_privilege(to_regclass(name)::oid, 'SELECT')
                          OR name = ANY(\(Self.inserted))
                             AND NOT has_table_privilege(to_regclass(name)::oid, 'INSERT')
                          OR name = ANY(\(Self.updated))
                             AND NOT has_table_privilege(to_regclass(name)::oid, 'UPDATE')
                          OR name = ANY(\(Self.deleted))
                             AND NOT has_table_privilege(to_regclass(name)::oid, 'DELETE'))
            FROM unnest(\(Self.tables)) AS needed (name)
            """
        ) {
            try (
                version: $0.next(as: Int?.self), functions: $0.next(as: String?.self),
                tables: $0.next(as: String?.self), barred: $0.next(as: String?.self)
            )
        }
        guard let found else { return nil }
        if let missing = found.tables {
            return "the database has not the tables \(missing): \(SchemaAdvice.look)"
        }
        if let missing = found.functions {
            return "the database has not the functions \(missing): \(SchemaAdvice.look)"
        }
        if let barred = found.barred {
            return "the role may not use the tables \(barred): \(SchemaAdvice.grant)"
        }
        // A newer one is that of a kith to come, beside which this one serves on.
        let version = found.version ?? 0
        if version < Self.version { return "the schema is older than this kith: run `kith migrate`" }
        return nil
    }

    /// Asked where writes go: the sessions of the other lanes are read-only by themselves. Nil without an answer soon:
    /// that lane is busy, or cannot be reached, which says nothing of this.
    private func takesNoWrites() async -> Bool? {
        let answer = try? await db.write.with(deadline: .milliseconds(500)).first(
            "SELECT current_setting('transaction_read_only')"
        ) { try $0.next(as: String.self) }
        return answer.map { $0 == "on" }
    }

    /// All that there are.
    static let tables = [
        "acceptances", "api_keys", "dismissals", "link_uses", "links", "links_by_owner", "rate_limits",
        "relationships", "schema_migrations", "secrets", "signups", "username_periods", "usernames", "users",
    ]
    /// What those who serve do with them. To lock a row for update is an UPDATE, and so is `ON CONFLICT DO UPDATE`.
    static let inserted = [
        "acceptances", "dismissals", "link_uses", "links", "links_by_owner", "rate_limits", "relationships",
        "signups", "username_periods", "usernames", "users",
    ]
    static let updated = [
        "links", "links_by_owner", "rate_limits", "relationships", "signups", "username_periods", "usernames",
        "users",
    ]
    static let deleted = [
        "dismissals", "link_uses", "links", "links_by_owner", "rate_limits", "relationships", "signups",
        "username_periods",
    ]
    static let functions = ["relationship_after", "require"]
    private static let version = Migration.all.last?.version ?? 0
}
