import Foundation
package import Postgres

/// Every statement on `applied_files`.
package struct AppliedStore: Sendable {
    var db: Database

    package init(db: Database) {
        self.db = db
    }

    /// What is applied of a section, and its version.
    package struct Applied<Section: AppliedSection>: Sendable {
        package var content = Section()
        package var version: Int64 = 0

        package init() {}
    }

    /// A section that is to be applied.
    package struct Change: Sendable {
        fileprivate let statements: [Statement]

        /// - Parameter version: of what it replaces.
        package init(_ section: some AppliedSection, over version: Int64) throws {
            let content = String(decoding: try JSONEncoder().encode(section), as: UTF8.self)
            statements = [AppliedStore.write(type(of: section).name, content, over: version)]
        }

        /// Changes nothing, and keeps the others from being written if somebody changes a section that was read.
        package init<Section: AppliedSection>(unless applied: Applied<Section>) {
            statements = [
                """
                SELECT require(coalesce((SELECT version FROM applied_files WHERE section = \(Section.name)), 0) = \(applied.version),
                               \(Outcome.changedMeanwhile))
                """
            ]
        }

        /// Of a section that stands in tables of its own: statements that end by `changedMeanwhile` if they are not what they were.
        package init(_ statements: [Statement]) {
            self.statements = statements
        }
    }

    /// What is applied; nil if nothing is, or it has this version.
    package func read<Section: AppliedSection>(
        _ section: Section.Type = AppliedApps.self, except version: Int64 = 0
    ) async throws -> Applied<Section>? {
        try await db.read.with(deadline: .seconds(2)).first(
            "SELECT version, content::text FROM applied_files WHERE section = \(Section.name) AND version <> \(version)"
        ) { row in
            var applied = Applied<Section>()
            applied.version = try row.next()
            applied.content = try JSONDecoder().decode(
                Section.self, from: Data(row.next(as: String.self).utf8))
            return applied
        }
    }

    package enum Outcome: String, GuardOutcome {
        case changedMeanwhile = "changed_meanwhile"
    }

    /// Writes all or none, and returns which: none if somebody changed one since its version was read.
    package func write(_ changes: [Change]) async throws -> Bool {
        do {
            try await db.write.batch(changes.flatMap(\.statements))
            return true
        } catch let error as PostgresError where error.outcome(Outcome.self) != nil {
            return false
        }
    }

    /// Returns whether it was written.
    func write(_ section: some AppliedSection, over version: Int64) async throws -> Bool {
        try await write([Change(section, over: version)])
    }

    private static func write(_ section: String, _ content: String, over version: Int64) -> Statement {
        """
        WITH written AS (
            INSERT INTO applied_files (section, content, version)
            VALUES (\(section), \(content)::text::jsonb, 1)
            ON CONFLICT (section) DO UPDATE
            SET content = excluded.content, version = applied_files.version + 1, applied_at = excluded.applied_at
            WHERE applied_files.version = \(version)
            RETURNING 1)
        SELECT require(EXISTS (SELECT FROM written), \(Outcome.changedMeanwhile))
        """
    }
}
