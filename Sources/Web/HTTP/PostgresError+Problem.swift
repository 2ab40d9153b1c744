import HTTPTypes
package import Postgres

/// What the driver's errors mean to callers.
extension PostgresError {
    /// Whether the database is missing, too busy, not set up, or stopped the statement. The same call may
    /// work later.
    // Citus answers XX000 if a worker is lost during a statement, and PostgreSQL for an internal error.
    package var isOutage: Bool {
        if advice != nil { return true }
        switch self {
        case .unavailable, .overloaded, .connectionLost, .timedOut, .closed, .rolledBack: return true
        case .decoding: return false
        case .server(let refusal):
            return ["40001", "40P01", "55P03", "57014", "CIINF", "XX000"].contains(refusal.sqlState)
                || ["08", "53", "57", "58"].contains(refusal.sqlState.prefix(2))
        }
    }

    package var statementIndex: Int? {
        if case .server(let refusal) = self { refusal.statementIndex } else { nil }
    }

    package var isUniqueViolation: Bool { sqlState == "23505" }
    package var isCheckViolation: Bool { sqlState == "23514" }

    /// Whether no partition takes a row.
    package var lacksPartition: Bool {
        // Citus reports XX000 if a worker refuses rows that were copied to it.
        guard case .server(let refusal) = self else { return false }
        return isCheckViolation
            || refusal.sqlState == "XX000" && refusal.message.hasPrefix("no partition of relation")
    }
}

extension Problem {
    /// The answer to a call in an outage.
    package static let unavailable = Problem(
        .serviceUnavailable, "unavailable", "The database is temporarily unavailable. Try again.",
        retryAfter: 1)

    /// The answer to a question for which the database needs too long, or for those before it.
    package static let tooSlow = Problem(
        .serviceUnavailable, "answer_too_slow",
        "The database needs too long for the answer, or for those before it. Try again, and if that is no use ask for a shorter time or less at once.",
        retryAfter: 5)
}
