import Foundation
package import Postgres
import Web

/// Every statement on `config_drafts`.
package struct ConfigDraftStore: Sendable {
    private let db: Database

    package init(db: Database) {
        self.db = db
    }

    /// Returns all drafts by their names.
    package func list() async throws -> [ConfigDraft] { try await find("true ORDER BY name") }

    /// Nil if there is none.
    package func draft(_ name: String) async throws -> ConfigDraft? { try await find("name = \(name)").first }

    private func find(_ condition: Statement) async throws -> [ConfigDraft] {
        try await db.read.ofPrimary.query(
            """
            SELECT name, version, revision, items::text, actor, changed_at FROM config_drafts WHERE \(condition)
            """, ConfigDraft.init(row:))
    }

    /// Keeps a draft, and returns its version. Throws `ConfigDraftError`.
    /// - Parameters:
    ///   - version: the one that it replaces. 0 if it is new.
    ///   - revision: the newest publication.
    package func put(
        _ name: String, over version: Int64, _ items: [ItemChange], at revision: Int64, by actor: AuditActor
    ) async throws -> Int64 {
        let changes = String(decoding: try JSON.data(items), as: UTF8.self)
        try await write(
            [
                """
                SELECT require((SELECT count(*) FROM config_drafts WHERE name <> \(name)) < \(Int64(ConfigDraft.most)), \(ConfigDraftError.tooMany))
                """,
                Self.require(name, version),
                """
                WITH written AS (
                    INSERT INTO config_drafts AS d (name, version, revision, items, actor)
                    VALUES (\(name), \(version + 1), \(revision), \(changes)::text::jsonb, \(actor.text))
                    ON CONFLICT (name) DO UPDATE
                    SET version = excluded.version, revision = excluded.revision, items = excluded.items, actor = excluded.actor,
                        changed_at = excluded.changed_at
                    WHERE d.version = \(version)
                    RETURNING 1)
                SELECT require(EXISTS (SELECT FROM written), \(ConfigDraftError.changed))
                """,
            ] + AuditStore.note(OperatorAct(by: actor, kind: .putDraft, details: ["draft": name])))
        return version + 1
    }

    /// Deletes a draft. The devices that saw it see what is published. Throws `ConfigDraftError`.
    package func delete(_ name: String, version: Int64, by actor: AuditActor) async throws {
        try await write(
            Self.delete(name, version: version)
                + AuditStore.note(OperatorAct(by: actor, kind: .deleteDraft, details: ["draft": name])))
    }

    private func write(_ statements: [Statement]) async throws {
        do {
            try await db.write.batch(statements)
        } catch let error as PostgresError {
            throw error.outcome(among: ConfigDraftError.self)
        }
    }

    /// Returns statements that delete a draft. They end the batch if it has another version.
    package static func delete(_ name: String, version: Int64) -> [Statement] {
        [
            "SELECT name FROM config_drafts WHERE name = \(name) FOR UPDATE", require(name, version),
            TestDeviceStore.takeAway(draft: name), "DELETE FROM config_drafts WHERE name = \(name)",
        ]
    }

    private static func require(_ name: String, _ version: Int64) -> Statement {
        """
        SELECT require(coalesce((SELECT version FROM config_drafts WHERE name = \(name)), 0) = \(version), \(ConfigDraftError.changed))
        """
    }
}

extension ConfigDraft {
    fileprivate init(row: inout Row) throws {
        (name, version, revision) = try (row.next(), row.next(), row.next())
        items = try JSONDecoder().decode([ItemChange].self, from: Data(row.next(as: String.self).utf8))
        (actor, changedAt) = try (AuditActor(stored: row.next()), row.next())
    }
}
