package import Postgres

/// What an operator is told of the driver's errors.
extension PostgresError {
    /// What an operator must do if the database refuses Kith's own statements. Nil for every other error.
    package var advice: String? {
        if lacksConnections { return SchemaAdvice.connections }
        guard let sqlState else { return nil }
        return switch sqlState {
        case "42501": "the role may not use the tables: \(SchemaAdvice.grant)"
        case "42P01", "42703", "42704", "42883", "3F000":
            "the database has another schema: \(SchemaAdvice.look)"
        case "25006": SchemaAdvice.readOnly
        case "26000", "42P05":
            "a pooler loses prepared statements: \(SchemaAdvice.pooler), or max_prepared_statements above 0 there"
        case "3D000": "there is no such database: \(SchemaAdvice.look)"
        default: sqlState.hasPrefix("28") ? "the database rejects the role of KITH_DATABASE_URL" : nil
        }
    }

    /// The error for logs and operators. For a server's error it is the server's words, without parts that
    /// hold a row or a value.
    package var explanation: String {
        guard case .server(let refusal) = self else { return debugDescription }
        // The detail of a violated constraint (class 23) holds the row; the message names the constraint. For
        // data that do not fit (class 22) the message holds them, in quotes.
        let sqlClass = refusal.sqlState.prefix(2)
        let hasValues = ["22", "23", "44"].contains(sqlClass)
        let message =
            sqlClass == "22"
            ? refusal.message.replacing(/(?s)["«„“].*["»“”]/, with: "\"…\"") : refusal.message
        // If the server is set to, the context holds the statement's parameters: `$1 = …`.
        let context = refusal.context.flatMap { hasValues || $0.contains("$1") ? nil : $0 }
        return ["\(description): \(message)"]
            .appending("detail", hasValues ? nil : refusal.detail).appending("hint", refusal.hint)
            .appending("context", context).joined(separator: "; ")
    }
}

extension [String] {
    fileprivate func appending(_ name: String, _ text: String?) -> [String] {
        text.map { self + ["\(name): \($0)"] } ?? self
    }
}

/// Advice to an operator if the database is not set up as Kith needs it.
package enum SchemaAdvice {
    package static let look = "check that it is the right database and schema, and run `kith migrate`"
    package static let grant =
        "make the role of KITH_DATABASE_URL their owner, or grant it what \"Rights\" in docs/database.md lists"
    static let pooler =
        "set KITH_DATABASE_POOLER=transaction, or pool_mode = session in the pooler"
    static let connections =
        "PostgreSQL has no connection left for this role: raise max_connections, or the CONNECTION LIMIT of the role or "
        + "the database, or run fewer servers, or set KITH_DATABASE_WRITERS lower; a superuser still gets in"
    package static let readOnly =
        "the database takes no writes: if it is a standby, name all hosts in KITH_DATABASE_URL, with "
        + "target_session_attrs=read-write; otherwise find out why `SHOW transaction_read_only` says on"
}

extension PoolerMistake {
    /// What an operator must change.
    package var advice: String {
        switch self {
        case .sharesByTransaction:
            "a pooler shares connections to PostgreSQL per transaction: \(SchemaAdvice.pooler)"
        case .losesPrepared:
            "the pooler loses prepared statements: set max_prepared_statements above 0 (PgBouncer from 1.21 on), "
                + "or KITH_DATABASE_POOLER=transaction"
        case .isolation(let level):
            "behind a pooler Kith cannot change the isolation level, which is \(level): set the role's "
                + "default_transaction_isolation to 'read committed' (ALTER ROLE)"
        }
    }
}
