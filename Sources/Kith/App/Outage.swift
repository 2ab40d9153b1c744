import Postgres

/// What the errors of the driver mean here.
extension PostgresError {
    /// The outcome that a `require` in a batch ended it with.
    var unmet: String? {
        guard case .server(let refusal) = self, refusal.sqlState == "KT001" else { return nil }
        return refusal.message
    }

    var statementIndex: Int? {
        if case .server(let refusal) = self { refusal.statementIndex } else { nil }
    }

    var isUniqueViolation: Bool { sqlState == "23505" }

    /// The database is not there, too busy, or stopped us: the same call may work a moment later.
    var isOutage: Bool {
        switch self {
        case .unavailable, .overloaded, .connectionLost, .timedOut, .closed, .rolledBack: return true
        case .decoding: return false
        case .server(let refusal):
            return ["25006", "40001", "40P01", "55P03", "57014"].contains(refusal.sqlState)
                || ["08", "53", "57", "58"].contains(refusal.sqlState.prefix(2))
        }
    }
}
