import Foundation
package import Postgres
import Web

/// A store of data that a feature keeps about users. `Feature.userData` lists it: a deletion and an export go
/// through all of these lists.
package protocol UserDataStore: SendableMetatype {
    /// Returns statements that remove the data, for the transaction that deletes the account, which holds the
    /// lock on the user.
    static func forget(_ user: User.ID) -> [Statement]

    /// Removes in parts what may be very much, after the account is deleted. Nobody else sees that data by
    /// then. If this fails, it expires.
    static func forgetMore(of user: User.ID, _ db: Database) async throws

    /// Writes the data into the user's export, as members of the document. About other users it tells what
    /// the lists show, without suspended and deleted users.
    static func export(into document: inout ExportDocument) async throws
}

package extension UserDataStore {
    static func forget(_ user: User.ID) -> [Statement] { [] }

    static func forgetMore(of user: User.ID, _ db: Database) async throws {}

    static func export(into document: inout ExportDocument) async throws {}
}

/// Reads what is kept about a user, in parts. Each part is one statement on the lane `bulk`, of at most
/// `rows` rows.
package struct ExportReader: Sendable {
    package var db: Database
    package var user: User.ID
    package var rows = 500

    package init(db: Database, user: User.ID, rows: Int = 500) {
        self.db = db
        self.user = user
        self.rows = rows
    }

    package func first<Item: Sendable>(_ statement: Statement, _ item: (inout Row) throws -> Item)
        async throws
        -> Item?
    {
        try await db.bulk.with(key: user).first(statement, item)
    }

    /// A part of a list, and the cursor of the next part. The cursor is nil if this is the last.
    package struct Part<Item: Sendable>: Sendable {
        package var items: [Item]
        var next: Cursor?

        package init(items: [Item], next: Cursor? = nil) {
            self.items = items
            self.next = next
        }
    }

    /// - Parameters:
    ///   - statement: the query, whose first columns are the time and the text of the cursor.
    ///   - item: reads a row. It returns nil if the row may not be seen.
    package func part<Item: Sendable>(
        _ statement: Statement, _ item: (inout Row, Cursor) throws -> Item?
    ) async throws -> Part<Item> {
        let found = try await db.bulk.with(key: user).query(statement) { row in
            let at: Date = try row.next()
            let cursor = Cursor(at: at, id: try row.next(as: String.self))
            return (cursor, try item(&row, cursor))
        }
        return Part(items: found.compactMap(\.1), next: found.count < rows ? nil : found.last?.0)
    }
}
