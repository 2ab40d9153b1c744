import Foundation
package import Postgres
import Web

/// Every statement on `applied_files`.
package struct AppliedStore: Sendable {
    var db: Database

    package init(db: Database) {
        self.db = db
    }

    /// The applied content of a section, and its version.
    package struct Applied<Section: AppliedSection>: Sendable {
        package var content = Section()
        package var version: Int64 = 0

        package init() {}
    }

    /// A section that is to be applied.
    package struct Change: Sendable {
        fileprivate let statements: [Statement]

        /// - Parameter version: the version of the content that it replaces.
        package init(_ section: some AppliedSection, over version: Int64) throws {
            let content = String(decoding: try JSONEncoder().encode(section), as: UTF8.self)
            statements = [AppliedStore.write(type(of: section).name, content, over: version)]
        }

        /// Creates a change that writes nothing. It keeps the other changes from being written if this
        /// section, which was read, has changed meanwhile.
        package init<Section: AppliedSection>(unless applied: Applied<Section>) {
            statements = [
                """
                SELECT require(coalesce((SELECT version FROM applied_files WHERE section = \(Section.name)), 0) = \(applied.version),
                               \(Outcome.changedMeanwhile))
                """
            ]
        }

        /// Creates a change of a section that has tables of its own. The statements end with
        /// `changedMeanwhile` if the tables have changed meanwhile.
        package init(_ statements: [Statement]) {
            self.statements = statements
        }
    }

    /// Returns what is applied. Nil if nothing is, or if it has this version.
    package func read<Section: AppliedSection>(
        _ section: Section.Type = AppliedApps.self, except version: Int64 = 0
    ) async throws -> Applied<Section>? {
        try await db.read.with(deadline: .seconds(2)).first(
            "SELECT version, content::text FROM applied_files WHERE section = \(Section.name) AND version <> \(version)"
        ) { row in
            var applied = Applied<Section>()
            applied.version = try row.next()
            applied.content = try row.json()
            return applied
        }
    }

    package enum Outcome: String, GuardOutcome {
        case changedMeanwhile = "changed_meanwhile"
    }

    /// Writes all changes or none, and returns whether it did. It writes none if somebody changed a section
    /// since its version was read.
    /// - Parameter publication: what notes them in the history. It comes first, so that two writers at once
    ///   wait there, and not for parts of each other.
    package func write(_ changes: [Change], publication: [Statement] = []) async throws -> Bool {
        try await db.write.batch(
            publication + changes.flatMap(\.statements), unless: Outcome.changedMeanwhile) != nil
    }

    /// Writes a section. Returns whether it was written.
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
