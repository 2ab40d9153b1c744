public import Postgres

/// What the errors of the driver mean here.
extension PostgresError {
    /// The outcome that a `require` in a batch ended it with.
    var guardOutcome: String? {
        guard case .server(let refusal) = self, refusal.sqlState == "KT001" else { return nil }
        return refusal.message
    }

    var statementIndex: Int? {
        if case .server(let refusal) = self { refusal.statementIndex } else { nil }
    }

    var isUniqueViolation: Bool { sqlState == "23505" }

    /// What an operator must do if the database refuses Kith's own statements; nil for every other error.
    public var advice: String? {
        guard let sqlState else { return nil }
        return switch sqlState {
        case "42501": "the role may not use the tables: \(SchemaAdvice.grant)"
        case "42P01", "42703", "42704", "42883", "3F000":
            "the database has another schema: \(SchemaAdvice.look)"
        case "25006": SchemaAdvice.readOnly
        case "3D000": "there is no such database: \(SchemaAdvice.look)"
        default: sqlState.hasPrefix("28") ? "the database lets the role of KITH_DATABASE_URL not in" : nil
        }
    }

    /// All that is known of it, values included, for logs and operators: the server's words, where it gave any.
    public var explanation: String {
        guard case .server(let refusal) = self else { return debugDescription }
        return ["\(description): \(refusal.message)"]
            .appending("detail", refusal.detail).appending("hint", refusal.hint)
            .appending("context", refusal.context).joined(separator: "; ")
    }

    /// The database is not there, too busy, stopped us, or is not as it must be: the same call may work later.
    var isOutage: Bool {
        if advice != nil { return true }
        switch self {
        case .unavailable, .overloaded, .connectionLost, .timedOut, .closed, .rolledBack: return true
        case .decoding: return false
        case .server(let refusal):
            return ["40001", "40P01", "55P03", "57014"].contains(refusal.sqlState)
                || ["08", "53", "57", "58"].contains(refusal.sqlState.prefix(2))
        }
    }
}

extension [String] {
    fileprivate func appending(_ name: String, _ text: String?) -> [String] {
        text.map { self + ["\(name): \($0)"] } ?? self
    }
}

/// What an operator is told to do if the database is not as Kith needs it.
enum SchemaAdvice {
    static let look = "look whether it is the right database and schema, and run `kith migrate`"
    static let grant = "make the role of KITH_DATABASE_URL their owner"
    static let readOnly =
        "the database takes no writes: if it is a standby, name all hosts in KITH_DATABASE_URL, with "
        + "target_session_attrs=read-write; else see why `SHOW transaction_read_only` says on"
}
