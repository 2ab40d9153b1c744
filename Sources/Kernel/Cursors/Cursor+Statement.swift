import Foundation
package import Postgres
import Web

/// Fragments of SQL to read the page after a cursor.
package extension Cursor {
    /// Returns the end of a statement whose list is sorted newest first, and by `id` for equal times: the
    /// rows after the cursor, up to the limit.
    static func page(behind cursor: Cursor?, _ time: Statement, _ id: Statement, limit: Int) -> Statement {
        page(cursor?.at, time, id, cursor?.id, limit)
    }

    /// Returns the same end for an id of type text.
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
