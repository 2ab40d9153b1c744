import Foundation
package import Postgres
import Web

/// Every statement on `audit`, which nothing changes or deletes.
package struct AuditStore: Sendable {
    package var db: Database

    package init(db: Database) {
        self.db = db
    }

    /// Returns statements for the batch that carries out the act, so that both are committed or neither.
    package static func note(_ act: OperatorAct?) -> [Statement] {
        guard let act else { return [] }
        return [
            """
            INSERT INTO audit (key_id, act, user_id, reason, details)
            VALUES (\(act.key), \(act.kind.rawValue), \(act.user), \(act.reason?.text), \(json(act.details)))
            """
        ]
    }

    /// Writes an act whose change another transaction makes.
    package func write(_ act: OperatorAct) async throws {
        try await db.write.batch(Self.note(act))
    }

    /// Returns the entries, newest first.
    /// - Parameter user: the user whom they are about. Nil for all.
    package func list(about user: User.ID?, after cursor: Cursor?, limit: Int) async throws -> ListPage<
        AuditEntry
    > {
        let isAbout: Statement = user.map { "user_id = \($0)" } ?? "true"
        let found = try await db.bulk.query(
            """
            SELECT id, user_id, at, key_id, act, reason, details FROM audit
            WHERE \(isAbout) AND \(Cursor.page(behind: cursor, "at", "id", limit: limit + 1))
            """, Found.init(row:))
        let (names, uids) = try await (
            keyNames(Set(found.map(\.entry.keyId))), UserStore(db: db).uids(of: Set(found.compactMap(\.user)))
        )
        let rows = found.map { one in
            var entry = one.entry
            entry.keyName = names[entry.keyId]
            entry.uid = one.user.flatMap { uids[$0]?.text }
            return (cursor: Cursor(at: entry.at, id: one.id), item: entry)
        }
        return ListPage(rows, limit: limit)
    }

    private struct Found {
        var id: UUID
        var user: User.ID?
        var entry: AuditEntry

        init(row: inout Row) throws {
            (id, user) = try (row.next(), row.next(as: UUID?.self).map(User.ID.init))
            entry = try AuditEntry(
                at: row.next(), keyId: row.next(), act: row.next(), reason: row.next(),
                details: row.next(as: String?.self).map(AuditStore.details) ?? [:])
        }
    }

    private func keyNames(_ ids: Set<String>) async throws -> [String: String] {
        let rows = try await db.bulk.query("SELECT id, name FROM api_keys WHERE id = ANY(\(Array(ids)))") {
            try ($0.next(as: String.self), $0.next(as: String.self))
        }
        return Dictionary(uniqueKeysWithValues: rows)
    }

    private static func json(_ details: [String: String]) -> String? {
        details.isEmpty ? nil : (try? JSON.data(details)).map { String(decoding: $0, as: UTF8.self) }
    }

    private static func details(_ json: String) -> [String: String] {
        (try? JSONDecoder().decode([String: String].self, from: Data(json.utf8))) ?? [:]
    }
}
