import Foundation
import Postgres

/// How a statement reads the page behind a cursor.
extension Cursor {
    /// The end of a statement whose list has the newest first and is sorted by `id` where times are equal: what comes
    /// behind the cursor, so many rows.
    static func page(behind cursor: Cursor?, _ time: Statement, _ id: Statement, limit: Int) -> Statement {
        page(cursor?.at, time, id, cursor?.id, limit)
    }

    /// As above, for an id that is a text.
    static func page(behind cursor: Cursor?, _ time: Statement, text id: Statement, limit: Int) -> Statement {
        page(cursor?.at, time, id, cursor?.key, limit)
    }

    private static func page(
        _ at: Date?, _ time: Statement, _ id: Statement, _ last: (some PostgresEncodable)?, _ limit: Int
    ) -> Statement {
        """
        \(time) <= \(at ?? .distantFuture) AND (\(time) < \(at ?? .distantFuture) OR \(id) > \(last))
        ORDER BY \(time) DESC, \(id) LIMIT \(limit)
        """
    }
}
