package import Foundation
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
            INSERT INTO audit (actor, act, user_id, reason, details)
            VALUES (\(act.actor.text), \(act.kind.rawValue), \(act.user), \(act.reason?.text), \(JSON.text(ifAny: act.details)))
            """
        ]
    }

    /// Writes an act whose change another transaction makes.
    package func write(_ act: OperatorAct) async throws {
        try await db.write.batch(Self.note(act))
    }

    /// Writes what somebody tried, unless as many rows of this kind and actor are of the last hour.
    /// Attempts at once may exceed the limit by as many as there are.
    func noteSeldom(_ act: OperatorAct, most: Int) async throws {
        let (actor, kind) = (act.actor.text, act.kind.rawValue)
        try await db.write.run(
            """
            INSERT INTO audit (actor, act, details)
            SELECT \(actor), \(kind), \(JSON.text(ifAny: act.details))
            WHERE (SELECT count(*) FROM audit
                   WHERE actor = \(actor) AND act = \(kind) AND at > now() - interval '1 hour') < \(most)
            """)
    }

    /// Which entries are wanted. Nil for all.
    package struct Filter: Sendable {
        package var user: User.ID?
        package var actor: AuditActor?
        package var act: OperatorAct.Kind?
        /// The code of a link or an invite that details name.
        package var code: String?
        /// A query of the numbers of the publications that are wanted, as text.
        package var publications: Statement?
        /// They were written at this time or later.
        package var from: Date?
        /// They were written before this time.
        package var to: Date?

        package init() {}
    }

    /// Returns the entries that match a filter, newest first.
    package func list(_ filter: Filter, after cursor: Cursor?, limit: Int) async throws -> ListPage<
        AuditEntry
    > {
        let isAbout: Statement = filter.user.map { "user_id = \($0)" } ?? "true"
        let isBy: Statement = filter.actor.map { "actor = \($0.text)" } ?? "true"
        let isAct: Statement = filter.act.map { "act = \($0.rawValue)" } ?? "true"
        let isOfCode: Statement = filter.code.map { "details::jsonb ->> 'code' = \($0)" } ?? "true"
        let isOf: Statement =
            filter.publications.map { numbers in
                "act = \(OperatorAct.Kind.publish.rawValue) AND details::jsonb->>'publication' IN (\(numbers))"
            } ?? "true"
        let isSince: Statement = filter.from.map { "at >= \($0)" } ?? "true"
        let isBefore: Statement = filter.to.map { "at < \($0)" } ?? "true"
        let query: Statement =
            """
            SELECT id, user_id, at, actor, act, reason, details FROM audit
            WHERE \(isAbout) AND \(isBy) AND \(isAct) AND \(isOfCode) AND \(isOf) AND \(isSince) AND \(isBefore)
              AND \(Cursor.page(behind: cursor, "at", "id", limit: limit + 1))
            """
        let found = try await db.question { try await $0.query(query, Found.init(row:)) }
        let (names, uids) = try await (
            keyNames(Set(found.compactMap { AuditActor($0.entry.actor)?.keyID })),
            UserStore(db: db).uids(of: Set(found.compactMap(\.user)))
        )
        let rows = found.map { one in
            var entry = one.entry
            entry.actorName = AuditActor(entry.actor)?.keyID.flatMap { names[$0] }
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
                at: row.next(), actor: row.next(), act: row.next(), reason: row.next(),
                details: row.next(as: String?.self).map(AuditStore.details) ?? [:])
        }
    }

    private func keyNames(_ ids: Set<String>) async throws -> [String: String] {
        let rows = try await db.bulk.query("SELECT id, name FROM api_keys WHERE id = ANY(\(Array(ids)))") {
            try ($0.next(as: String.self), $0.next(as: String.self))
        }
        return Dictionary(uniqueKeysWithValues: rows)
    }

    private static func details(_ json: String) -> [String: String] {
        (try? JSONDecoder().decode([String: String].self, from: Data(json.utf8))) ?? [:]
    }
}
