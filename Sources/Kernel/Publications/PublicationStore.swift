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
        try await db.bulk.ofPrimary.first(
            """
            SELECT number, at, actor, source, reason, items::text, effects::text FROM publications WHERE number = \(number)
            """, Publication.init(row:))
    }

    /// Returns the publications after a number and before another, newest first.
    /// - Parameter items: those that changed one of them. Nil for all.
    package func list(
        after: Int64 = 0, before: Int64 = .max, of items: [ItemName]? = nil, limit: Int
    ) async throws -> [PublicationSummary] {
        let hasItem = items.map(Self.changes) ?? "true"
        return try await db.bulk.ofPrimary.query(
            """
            SELECT number, at, actor, source, reason, marked_items FROM publications
            WHERE number > \(after) AND number < \(before) AND \(hasItem) ORDER BY number DESC LIMIT \(Int64(limit))
            """, PublicationSummary.init(row:))
    }

    /// Returns what the items that changed after a revision were then.
    package func former(after revision: Int64) async throws -> [ItemName: [String: String]?] {
        let rows = try await db.bulk.ofPrimary.query(
            """
            SELECT DISTINCT ON (i.change->>'section', i.change->>'key')
                   i.change->>'section', i.change->>'key', (i.change->'before')::text
            FROM publications p CROSS JOIN LATERAL jsonb_array_elements(p.items) i (change)
            WHERE p.number > \(revision)
            ORDER BY i.change->>'section', i.change->>'key', p.number
            """
        ) { row in
            let name = ItemName(try row.next(), try row.next())
            let fields = try row.next(as: String?.self).map { text in
                try JSONDecoder().decode([String: String].self, from: Data(text.utf8))
            }
            return (name, fields)
        }
        return Dictionary(uniqueKeysWithValues: rows)
    }

    /// Returns the changes of an item, newest first.
    /// - Parameter phase: those from or to this phase of an experiment that is no draft. Nil for all.
    package func changes(of item: ItemName, phase: Int? = nil, limit: Int) async throws -> [PublishedChange] {
        func isPhase(_ side: Statement) -> Statement {
            """
            coalesce(i.change->\(side)->>'phase', '1') = \(phase.map(String.init))
            AND i.change->\(side) IS NOT NULL AND coalesce(i.change->\(side)->>'state', '') <> 'draft'
            """
        }
        let hasPhase: Statement = phase == nil ? "true" : "(\(isPhase("'after'")) OR \(isPhase("'before'")))"
        return try await db.bulk.ofPrimary.query(
            """
            SELECT p.number, p.at, p.actor, p.reason, i.change::text
            FROM publications p CROSS JOIN LATERAL jsonb_array_elements(p.items) i (change)
            WHERE \(Self.changes([item])) AND i.change->>'section' = \(item.section) AND i.change->>'key' = \(item.key)
              AND \(hasPhase)
            ORDER BY p.number DESC LIMIT \(Int64(limit))
            """, PublishedChange.init(row:))
    }

    /// Returns a query of the numbers of the publications that changed an item, as text.
    package static func numbers(of item: ItemName) -> Statement {
        "SELECT number::text FROM publications WHERE \(changes([item]))"
    }

    /// Returns a condition: a row changes one of the items.
    private static func changes(_ items: [ItemName]) -> Statement {
        "marked_items && \(items.flatMap { item in ["+", "-", "~"].map { $0 + item.text } })"
    }

    /// Returns the number of the newest publication at a time. 0 if there was none.
    package func revision(at time: Date) async throws -> Int64 {
        try await db.bulk.ofPrimary.first(
            "SELECT coalesce(max(number), 0) FROM publications WHERE at <= \(time)"
        ) { try $0.next(as: Int64.self) } ?? 0
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
                INSERT INTO publications (number, actor, source, reason, marked_items, items, effects)
                VALUES (\(revision + 1), \(content.actor.text), \(content.source.rawValue), \(content.reason?.text),
                        \(content.items.map(\.marked)),
                        \(items)::text::jsonb, \(effects)::text::jsonb)
                ON CONFLICT DO NOTHING
                RETURNING 1)
            SELECT require(EXISTS (SELECT FROM written), \(AppliedStore.Outcome.changedMeanwhile))
            """,
        ]
            + AuditStore.note(
                OperatorAct(
                    by: content.actor, kind: .publish, reason: content.reason,
                    details: ["publication": String(revision + 1), "items": names(of: content)]))
    }

    /// The names of the first items, for people.
    private static func names(of content: Publication.Content) -> String {
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

extension PublicationSummary {
    fileprivate init(row: inout Row) throws {
        (number, at) = try (row.next(), row.next())
        actor = AuditActor(stored: try row.next())
        source = Publication.Source(rawValue: try row.next()) ?? .call
        reason = try row.next(as: String?.self).flatMap(OperatorReason.init)
        markedItems = try row.next()
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
