package import Foundation
package import Postgres
import Web

/// Every statement on `test_devices`.
package struct TestDeviceStore: Sendable {
    private let db: Database

    package init(db: Database) {
        self.db = db
    }

    /// Returns all devices by their names.
    package func list() async throws -> [TestDevice] {
        try await db.read.with(deadline: .seconds(2)).query(
            """
            SELECT t.name, t.unit, t.draft, d.version, t.variations::text, t.actor, t.changed_at
            FROM test_devices t LEFT JOIN config_drafts d ON d.name = t.draft ORDER BY t.name
            """, TestDevice.init(row:))
    }

    /// Returns those of some units that are users.
    func users(among units: [UUID]) async throws -> Set<UUID> {
        if units.isEmpty { return [] }
        return Set(
            try await db.read.with(deadline: .seconds(2)).query(
                "SELECT id FROM users WHERE id = ANY(\(units))"
            ) { try $0.next(as: UUID.self) })
    }

    /// Keeps a device in place of the one of its name, and of the one with its unit. Throws
    /// `ConfigDraftError`.
    package func put(
        _ name: String, unit: UUID, draft: String?, variations: [String: String], by actor: AuditActor
    ) async throws {
        let given = try JSON.text(variations)
        let statements: [Statement] =
            [
                // In the order in which a deletion of the account locks: user, draft, device.
                "SELECT 1 FROM users WHERE id = \(unit) FOR SHARE",
                """
                SELECT require(NOT EXISTS (SELECT FROM users WHERE id = \(unit) AND status = 'deleted'), \(ConfigDraftError.userDeleted))
                """,
                """
                SELECT require((SELECT count(*) FROM test_devices WHERE name <> \(name) AND unit <> \(unit)) < \(Int64(TestDevice.most)), \(ConfigDraftError.tooManyDevices))
                """,
                // Whoever deletes the draft waits.
                "SELECT name FROM config_drafts WHERE name = \(draft) FOR SHARE",
                """
                SELECT require(\(draft)::text IS NULL OR EXISTS (SELECT FROM config_drafts WHERE name = \(draft)), \(ConfigDraftError.unknown))
                """,
                "SELECT name FROM test_devices WHERE name = \(name) OR unit = \(unit) ORDER BY name FOR UPDATE",
                "DELETE FROM test_devices WHERE unit = \(unit) AND name <> \(name)",
                """
                INSERT INTO test_devices (name, unit, draft, variations, actor)
                VALUES (\(name), \(unit), \(draft), \(given)::text::jsonb, \(actor.text))
                ON CONFLICT (name) DO UPDATE
                SET unit = excluded.unit, draft = excluded.draft, variations = excluded.variations, actor = excluded.actor,
                    changed_at = excluded.changed_at
                """,
            ] + AuditStore.note(OperatorAct(by: actor, kind: .putTestDevice, details: ["device": name]))
        do {
            try await db.write.batch(statements, throwing: ConfigDraftError.self)
        } catch let error as PostgresError where error.isUniqueViolation {
            throw ConfigDraftError.deviceTaken
        }
    }

    /// Lets the devices that see a draft see what is published.
    static func takeAway(draft: String) -> Statement {
        "UPDATE test_devices SET draft = NULL WHERE draft = \(draft)"
    }

    /// Throws `ConfigDraftError` if there is none.
    package func delete(_ name: String, by actor: AuditActor) async throws {
        try await db.write.batch(
            [
                """
                WITH gone AS (DELETE FROM test_devices WHERE name = \(name) RETURNING 1)
                SELECT require(EXISTS (SELECT FROM gone), \(ConfigDraftError.unknownDevice))
                """
            ]
                + AuditStore.note(OperatorAct(by: actor, kind: .deleteTestDevice, details: ["device": name])),
            throwing: ConfigDraftError.self)
    }
}

/// A unit that is a user goes with their account.
extension TestDeviceStore: UserDataStore {
    package static func forget(_ user: User.ID) -> [Statement] {
        ["DELETE FROM test_devices WHERE unit = \(user)"]
    }
}

extension TestDevice {
    fileprivate init(row: inout Row) throws {
        (name, unit, draft, draftVersion) = try (row.next(), row.next(), row.next(), row.next())
        variations = try row.json()
        (actor, changedAt) = try (AuditActor(stored: row.next()), row.next())
    }
}
