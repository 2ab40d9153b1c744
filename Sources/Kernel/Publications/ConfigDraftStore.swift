import Foundation
package import Postgres
import Web

/// Every statement on `config_drafts`.
package struct ConfigDraftStore: Sendable {
    private let db: Database

    package init(db: Database) {
        self.db = db
    }

    /// Returns all drafts by their names, without their items: a hundred drafts may have megabytes.
    package func list() async throws -> [ConfigDraftSummary] {
        try await db.bulk.ofPrimary.query(
            "SELECT name, version, revision, names, actor, changed_at FROM config_drafts ORDER BY name",
            ConfigDraftSummary.init(row:))
    }

    /// Nil if there is none.
    package func draft(_ name: String) async throws -> ConfigDraft? {
        try await db.bulk.ofPrimary.first(Self.select("name = \(name)"), ConfigDraft.init(row:))
    }

    /// Returns drafts for servers that follow, which must not wait for long work.
    func drafts(_ names: [String]) async throws -> [ConfigDraft] {
        guard !names.isEmpty else { return [] }
        return try await db.read.ofPrimary.query(Self.select("name = ANY(\(names))"), ConfigDraft.init(row:))
    }

    private static func select(_ condition: Statement) -> Statement {
        """
        SELECT name, version, revision, items::text, actor, changed_at FROM config_drafts WHERE \(condition)
        """
    }

    /// Keeps a draft, and returns it. Throws `ConfigDraftError`.
    /// - Parameters:
    ///   - version: the one that it replaces. 0 if it is new.
    ///   - revision: the newest publication.
    package func put(
        _ name: String, over version: Int64, _ items: [ItemChange], at revision: Int64, by actor: AuditActor
    ) async throws -> ConfigDraft {
        let (changes, names) = (try JSON.text(items), items.map(\.name.text).sorted())
        // A draft of the same name that comes later has another version, too.
        let next: Statement = """
            greatest(\(version) + 1, (extract(epoch FROM now()) * 1000000)::bigint)
            """
        let write: Statement =
            version == 0
            ? """
            INSERT INTO config_drafts (name, version, revision, names, items, actor)
            VALUES (\(name), \(next), \(revision), \(names), \(changes)::text::jsonb, \(actor.text))
            ON CONFLICT (name) DO NOTHING RETURNING 1
            """
            : """
            UPDATE config_drafts
            SET version = \(next), revision = \(revision), names = \(names), items = \(changes)::text::jsonb, actor = \(actor.text), changed_at = now()
            WHERE name = \(name) AND version = \(version) RETURNING 1
            """
        let results = try await db.write.batch(
            [
                """
                SELECT require((SELECT count(*) FROM config_drafts WHERE name <> \(name)) < \(Int64(ConfigDraft.most)), \(ConfigDraftError.tooMany))
                """,
                """
                WITH written AS (\(write))
                SELECT require(EXISTS (SELECT FROM written), \(ConfigDraftError.changed))
                """,
                Self.select("name = \(name)"),
            ] + AuditStore.note(OperatorAct(by: actor, kind: .putDraft, details: ["draft": name])),
            throwing: ConfigDraftError.self)
        guard let kept = try results[2].first(ConfigDraft.init(row:)) else { throw ConfigDraftError.changed }
        return kept
    }

    /// Deletes a draft. The devices that saw it see what is published. Throws `ConfigDraftError`.
    package func delete(_ name: String, version: Int64, by actor: AuditActor) async throws {
        try await db.write.batch(
            Self.delete(name, version: version)
                + AuditStore.note(OperatorAct(by: actor, kind: .deleteDraft, details: ["draft": name])),
            throwing: ConfigDraftError.self)
    }

    /// Returns statements that delete a draft. They end the batch if it has another version.
    package static func delete(_ name: String, version: Int64) -> [Statement] {
        [
            "SELECT name FROM config_drafts WHERE name = \(name) FOR UPDATE",
            TestDeviceStore.takeAway(draft: name),
            """
            WITH gone AS (DELETE FROM config_drafts WHERE name = \(name) AND version = \(version) RETURNING 1)
            SELECT require(EXISTS (SELECT FROM gone), \(ConfigDraftError.changed))
            """,
        ]
    }
}

extension ConfigDraftSummary {
    fileprivate init(row: inout Row) throws {
        (name, version, revision) = try (row.next(), row.next(), row.next())
        names = try row.next()
        (actor, changedAt) = try (AuditActor(stored: row.next()), row.next())
    }
}

extension ConfigDraft {
    fileprivate init(row: inout Row) throws {
        (name, version, revision) = try (row.next(), row.next(), row.next())
        items = try row.json()
        (actor, changedAt) = try (AuditActor(stored: row.next()), row.next())
    }
}
