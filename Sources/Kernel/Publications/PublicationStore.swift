package import Foundation
package import Postgres
import Web

/// Every statement on `publications`, which nothing changes or deletes.
package struct PublicationStore: Sendable {
    private let db: Database

    package init(db: Database) {
        self.db = db
    }

    /// Returns the number of the newest publication. 0 if there is none.
    package func revision() async throws -> Int64 {
        try await db.bulk.ofPrimary.first("SELECT coalesce(max(number), 0) FROM publications") {
            try $0.next(as: Int64.self)
        } ?? 0
    }

    /// Returns the publication with this number. Nil if there is none.
    package func publication(_ number: Int64) async throws -> Publication? {
        try await find("number = \(number)").first
    }

    /// Returns the publications before a number, newest first.
    /// - Parameter item: those that changed it. Nil for all.
    package func list(before number: Int64, of item: ItemName? = nil, limit: Int) async throws
        -> [Publication]
    {
        let hasItem = try item.map(Self.changes) ?? "true"
        return try await find("number < \(number) AND \(hasItem) ORDER BY number DESC LIMIT \(Int64(limit))")
    }

    /// Returns the changes of an item, newest first.
    package func changes(of item: ItemName, limit: Int) async throws -> [PublishedChange] {
        try await db.bulk.ofPrimary.query(
            """
            SELECT p.number, p.at, p.actor, p.reason, i.change::text
            FROM publications p CROSS JOIN LATERAL jsonb_array_elements(p.items) i (change)
            WHERE \(Self.changes(item)) AND i.change->>'section' = \(item.section) AND i.change->>'key' = \(item.key)
            ORDER BY p.number DESC LIMIT \(Int64(limit))
            """, PublishedChange.init(row:))
    }

    /// Returns a condition: a row changes the item.
    private static func changes(_ item: ItemName) throws -> Statement {
        let part = try JSON.text([["section": item.section, "key": item.key]])
        return "items @> \(part)::text::jsonb"
    }

    /// Returns the publications after a number, newest first.
    /// - Parameter limit: the most. Nil for all.
    package func list(after number: Int64, limit: Int? = nil) async throws -> [Publication] {
        try await find("number > \(number) ORDER BY number DESC LIMIT \(limit.map(Int64.init))")
    }

    /// Returns the number of the newest publication at a time. 0 if there was none.
    package func revision(at time: Date) async throws -> Int64 {
        try await db.bulk.ofPrimary.first(
            "SELECT coalesce(max(number), 0) FROM publications WHERE at <= \(time)"
        ) { try $0.next(as: Int64.self) } ?? 0
    }

    private func find(_ condition: Statement) async throws -> [Publication] {
        try await db.bulk.ofPrimary.query(
            """
            SELECT number, at, actor, source, reason, items::text, effects::text FROM publications WHERE \(condition)
            """, Publication.init(row:))
    }

    /// Returns statements for the batch that changes the state, which note it in the audit, too. They end it
    /// with `changedMeanwhile` if there is another publication than that of `revision`.
    package static func write(_ content: Publication.Content, over revision: Int64) throws -> [Statement] {
        let (items, effects) = try (JSON.text(content.items), JSON.text(content.effects))
        return [
            """
            SELECT require((SELECT coalesce(max(number), 0) FROM publications) = \(revision), \(AppliedStore.Outcome.changedMeanwhile))
            """,
            """
            WITH written AS (
                INSERT INTO publications (number, actor, source, reason, items, effects)
                VALUES (\(revision + 1), \(content.actor.text), \(content.source.rawValue), \(content.reason?.text),
                        \(items)::text::jsonb, \(effects)::text::jsonb)
                ON CONFLICT DO NOTHING
                RETURNING 1)
            SELECT require(EXISTS (SELECT FROM written), \(AppliedStore.Outcome.changedMeanwhile))
            """,
        ]
            + AuditStore.note(
                OperatorAct(
                    by: content.actor, kind: .publish, reason: content.reason,
                    details: ["publication": String(revision + 1), "items": summary(of: content)]))
    }

    /// The names of the first items, for people.
    private static func summary(of content: Publication.Content) -> String {
        let names = content.items.map(\.name.text)
        return names.prefix(10).joined(separator: ", ") + (names.count > 10 ? ", …" : "")
    }
}

extension PublishedChange {
    fileprivate init(row: inout Row) throws {
        (number, at) = try (row.next(), row.next())
        actor = AuditActor(stored: try row.next())
        reason = try row.next(as: String?.self).flatMap(OperatorReason.init)
        change = try row.json()
    }
}

extension Publication {
    fileprivate init(row: inout Row) throws {
        number = try row.next()
        at = try row.next()
        content = try Content(
            actor: AuditActor(stored: row.next()), source: Source(rawValue: row.next()) ?? .call,
            reason: row.next(as: String?.self).flatMap(OperatorReason.init),
            items: row.json(), effects: row.json())
    }
}
