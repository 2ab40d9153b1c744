import Postgres

/// Changes display names, so many times a day.
struct DisplayNameStore: Sendable {
    var db: Database
    var timesADay: Int

    /// The name they have already is no change. Throws `DisplayNameCooldownError`, or `AccountError.inactive`.
    func set(_ name: String?, of id: User.ID) async throws {
        let limit = Int32(timesADay)
        do {
            try await db.write.with(key: id).batch([
                UserStore.waitForImports,
                """
                WITH me AS MATERIALIZED (
                    SELECT display_name IS NOT DISTINCT FROM \(name) AS is_same,
                           display_names_at[\(limit)] > now() - interval '1 day' AS is_spent
                    FROM users WHERE id = \(id) AND status = 'active' FOR NO KEY UPDATE)
                SELECT require(outcome IS NULL, outcome)
                FROM (SELECT CASE WHEN me.is_same IS NULL THEN 'account_inactive'
                                  WHEN me.is_same THEN 'unchanged'
                                  WHEN me.is_spent THEN 'too_often' END AS outcome
                      FROM (SELECT) one LEFT JOIN me ON true) judged
                """,
                """
                UPDATE users SET display_name = \(name), changed_in = pg_current_xact_id(),
                                 display_names_at = (array_prepend(now(), display_names_at))[1:\(limit)]
                WHERE id = \(id)
                """,
                FriendStore.copyNames(of: id),
            ])
        } catch let error as PostgresError where error.guardOutcome == "unchanged" {
            return
        } catch let error as PostgresError where error.guardOutcome == "too_often" {
            throw DisplayNameCooldownError(seconds: try await wait(of: id, limit))
        } catch let error as PostgresError {
            throw error.guardOutcome.flatMap(AccountError.init(rawValue:)) ?? error
        }
    }

    private func wait(of id: User.ID, _ limit: Int32) async throws -> Int {
        try await db.read.first(
            """
            SELECT ceil(extract(epoch FROM display_names_at[\(limit)] + interval '1 day' - now()))::bigint
            FROM users WHERE id = \(id)
            """
        ) { max(1, try $0.next(as: Int?.self) ?? 1) } ?? 1
    }
}

/// The display name was changed as often as a day allows; the next change is possible in so many seconds.
struct DisplayNameCooldownError: Error {
    var seconds: Int
}
