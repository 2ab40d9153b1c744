package import Postgres

/// Changes columns of `users` that users may change only a limited number of times a day.
package struct DailyChangeStore: Sendable {
    package struct Value: Sendable {
        package var column: Statement
        package var text: String?

        package init(column: Statement, text: String? = nil) {
            self.column = column
            self.text = text
        }
    }

    package var db: Database
    /// The column with the times of the last changes, newest first.
    package var times: Statement
    package var limit: Int32

    package init(db: Database, times: Statement, limit: Int32) {
        self.db = db
        self.times = times
        self.limit = limit
    }

    private enum Outcome: String, GuardOutcome {
        case unchanged
        case tooOften = "too_often"
        case inactive
    }

    /// Sets columns in one transaction. Setting the current value is not a change. Throws a
    /// `DailyLimitError`, or `AccountError.inactive`.
    package func set(
        _ values: [Value], of user: User.ID, after before: [Statement] = [], then others: [Statement]
    ) async throws {
        do {
            let change = [require(values, of: user), update(values, of: user)]
            try await db.write.with(key: user).batch([UserStore.waitForImports] + before + change + others)
        } catch let error as PostgresError {
            switch error.outcome(Outcome.self) {
            case .unchanged: return
            case .tooOften: throw DailyLimitError(seconds: try await wait(of: user))
            case .inactive: throw AccountError.inactive
            case nil: throw error
            }
        }
    }

    private func require(_ values: [Value], of user: User.ID) -> Statement {
        let isSame = values.map { "\($0.column) IS NOT DISTINCT FROM \($0.text)" as Statement }
        return """
            WITH me AS MATERIALIZED (
                SELECT \(isSame.joined(separator: " AND ")) AS is_same,
                       \(times)[\(limit)] > now() - interval '1 day' AS is_spent
                FROM users WHERE id = \(user) AND status = 'active' FOR NO KEY UPDATE)
            SELECT require(outcome IS NULL, outcome)
            FROM (SELECT CASE WHEN me.is_same IS NULL THEN \(Outcome.inactive)
                              WHEN me.is_same THEN \(Outcome.unchanged)
                              WHEN me.is_spent THEN \(Outcome.tooOften) END AS outcome
                  FROM (VALUES (1)) one LEFT JOIN me ON true) judged
            """
    }

    // Citus 13 crashes at a slice of an array here.
    private func update(_ values: [Value], of user: User.ID) -> Statement {
        let changes = values.map { "\($0.column) = \($0.text)" as Statement }
        return """
            UPDATE users SET \(changes.joined(separator: ", ")), revision = revision + 1,
                             \(times) = array_prepend(
                                 now(), trim_array(\(times), greatest(cardinality(\(times)) + 1 - \(limit), 0)))
            WHERE id = \(user)
            """
    }

    private func wait(of user: User.ID) async throws -> Int {
        try await db.read.first(
            """
            SELECT ceil(extract(epoch FROM \(times)[\(limit)] + interval '1 day' - now()))::bigint
            FROM users WHERE id = \(user)
            """
        ) { max(1, try $0.next(as: Int?.self) ?? 1) } ?? 1
    }
}

/// The error that the daily limit of changes is reached. The next change is possible in `seconds`.
package struct DailyLimitError: Error {
    package var seconds: Int
}
