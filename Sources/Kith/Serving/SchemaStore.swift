import Kernel
import Postgres
import Schema
import Web

/// Checks that the database has what requests need. It asks the catalogue, so it waits for no lock on their
/// tables.
struct SchemaStore: Sendable {
    let db: Database

    /// Returns what is wrong and what to do about it. Nil if requests can be answered.
    /// - Parameter before: what was wrong at the last check.
    func trouble(before: String? = nil) async throws -> String? {
        do {
            if let difference = try await difference() { return difference }
            if let lack = await lackOfLinks() { return lack }
        } catch let error as PostgresError {
            guard let advice = error.advice else { throw error }
            return advice
        }
        return await takesNoWrites() ?? (before == SchemaAdvice.readOnly) ? SchemaAdvice.readOnly : nil
    }

    /// Returns why links have no connection. Nil if they have one.
    private func lackOfLinks() async -> String? {
        guard db.statistics.landings.connectionsUp == 0 else { return nil }
        do {
            try await db.landings.ofPrimary.with(deadline: .seconds(2)).run("SELECT 1")
            return nil
        } catch {
            let error = error as? PostgresError
            return "links have no database connection: \(error?.advice ?? error?.explanation ?? "")"
        }
    }

    private func difference() async throws -> String? {
        let found = try await db.read.with(deadline: .seconds(2)).first(
            """
            SELECT (SELECT max(version) FROM schema_migrations)::int8,
                   (SELECT string_agg(name, ', ' ORDER BY name) FROM unnest(\(Migration.functions)) AS needed (name)
                    WHERE NOT EXISTS (
                        SELECT FROM pg_proc WHERE proname = name AND pg_function_is_visible(oid))),
                   string_agg(name, ', ' ORDER BY name) FILTER (WHERE to_regclass(name) IS NULL),
                   string_agg(name, ', ' ORDER BY name) FILTER (
                       WHERE NOT has_table_privilege(to_regclass(name)::oid, 'SELECT')
                          OR name = ANY(\(Self.tables(.insert)))
                             AND NOT has_table_privilege(to_regclass(name)::oid, 'INSERT')
                          OR name = ANY(\(Self.tables(.update)))
                             AND NOT has_table_privilege(to_regclass(name)::oid, 'UPDATE')
                          OR name = ANY(\(Self.tables(.delete)))
                             AND NOT has_table_privilege(to_regclass(name)::oid, 'DELETE'))
            FROM unnest(\(Migration.tables)) AS needed (name)
            """
        ) {
            try (
                version: $0.next(as: Int?.self), functions: $0.next(as: String?.self),
                tables: $0.next(as: String?.self), barred: $0.next(as: String?.self)
            )
        }
        guard let found else { return nil }
        if let missing = found.tables {
            return "the database lacks the tables \(missing): \(SchemaAdvice.look)"
        }
        if let missing = found.functions {
            return "the database lacks the functions \(missing): \(SchemaAdvice.look)"
        }
        if let barred = found.barred {
            return "the role may not use the tables \(barred): \(SchemaAdvice.grant)"
        }
        // A newer schema belongs to a newer Kith, and this one keeps serving beside it.
        let version = found.version ?? 0
        if version < Self.version { return "the schema is older than this kith: run `kith migrate`" }
        return nil
    }

    /// Whether the database is read-only. It asks the write lane, since sessions of the other lanes are
    /// always read-only. Nil if no answer comes soon, because that lane may be busy or unreachable.
    private func takesNoWrites() async -> Bool? {
        let answer = try? await db.write.with(deadline: .milliseconds(500)).first(
            "SELECT current_setting('transaction_read_only')"
        ) { try $0.next(as: String.self) }
        return answer.map { $0 == "on" }
    }

    /// The tables for which a server needs the right.
    static func tables(_ right: Feature.Right) -> [String] {
        App.features.flatMap(\.tables).filter { $0.rights.contains(right) }.map(\.name)
    }

    private static let version = Migration.all.last?.version ?? 0
}
