import Foundation
package import Kernel
import Postgres
import Web

/// What is kept about a user's names.
extension UsernameStore: UserDataStore {
    /// Forgets the user's names. Locks the open period first and the user last, as a rename does. Names that
    /// others had time to know are reserved for a time, and the rest are released at once. No name refers to
    /// the user any more.
    static func forgetNames(of user: User.ID, _ policy: UsernamePolicy) -> [Statement] {
        [
            """
            WITH current AS MATERIALIZED (
                SELECT FROM username_periods WHERE user_id = \(user) AND valid_to IS NULL FOR UPDATE)
            SELECT require(EXISTS (SELECT FROM current), \(AccountError.changedMeanwhile))
            """,
            """
            WITH current AS MATERIALIZED (
                SELECT name_key FROM username_periods WHERE user_id = \(user) AND valid_to IS NULL),
            active AS MATERIALIZED (
                SELECT n.name_key FROM usernames n JOIN current ON n.name_key = current.name_key WHERE n.user_id = \(user))
            SELECT require_row(EXISTS (SELECT FROM active), 'current username')
            """,
            """
            WITH known AS MATERIALIZED (
                SELECT name_key FROM username_periods WHERE user_id = \(user) GROUP BY name_key
                HAVING sum(coalesce(valid_to, now()) - valid_from) > \(policy.correction.seconds) * interval '1 second')
            UPDATE usernames n
            SET state = 'reserved', user_id = NULL, changed_at = now(),
                held_until = now() + \(policy.reservation.seconds) * interval '1 second'
            FROM known
            WHERE n.name_key = known.name_key AND n.user_id = \(user)
              AND (n.state = 'active' OR (n.state = 'held' AND n.held_until >= now()))
            """,
            """
            WITH had AS MATERIALIZED (SELECT DISTINCT name_key FROM username_periods WHERE user_id = \(user))
            UPDATE usernames n SET state = 'released', user_id = NULL, held_until = NULL, changed_at = now()
            FROM had WHERE n.name_key = had.name_key AND n.user_id = \(user)
            """,
            "DELETE FROM username_periods WHERE user_id = \(user)",
        ]
    }

    /// Writes the names, oldest first.
    package static func export(into document: inout ExportDocument) async throws {
        try await document.list("usernames") { reader, cursor in
            try await reader.part(
                """
                WITH periods AS MATERIALIZED (
                    SELECT valid_from AS at, name_key, username, valid_to, severed FROM username_periods
                    WHERE user_id = \(reader.user) AND valid_from >= \(cursor?.at ?? .distantPast)
                      AND (valid_from > \(cursor?.at ?? .distantPast) OR name_key > \(cursor?.key ?? ""))
                    ORDER BY valid_from, name_key LIMIT \(reader.rows)),
                held AS MATERIALIZED (
                    SELECT n.name_key, n.held_until
                    FROM (SELECT DISTINCT name_key FROM periods) p JOIN usernames n ON n.name_key = p.name_key
                    WHERE n.user_id = \(reader.user))
                SELECT p.at, p.name_key, p.username, p.valid_to, p.severed, held.held_until
                FROM periods p LEFT JOIN held ON held.name_key = p.name_key ORDER BY p.at, p.name_key
                """
            ) { row, cursor in
                try Exported(
                    username: row.next(), from: cursor.at, to: row.next(), severed: row.next(),
                    heldUntil: row.next())
            }
        }
    }

    private struct Exported: Encodable, Sendable {
        var username: String
        var from: Date
        var to: Date?
        var severed: Bool
        /// How long nobody else gets the name.
        var heldUntil: Date?
    }
}
