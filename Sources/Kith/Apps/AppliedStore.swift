import Foundation
public import Postgres

/// Every statement on `applied_files`.
public struct AppliedStore: Sendable {
    var db: Database

    public init(db: Database) {
        self.db = db
    }

    /// What is applied, and its version.
    public struct Applied: Sendable {
        public var apps = AppliedApps()
        public var version: Int64 = 0

        public init() {}
    }

    /// What is applied; nil if nothing is, or it has this version.
    public func read(except version: Int64 = 0) async throws -> Applied? {
        try await db.read.with(deadline: .seconds(2)).first(
            "SELECT version, content::text FROM applied_files WHERE section = 'apps' AND version <> \(version)"
        ) { row in
            var applied = Applied()
            applied.version = try row.next()
            applied.apps = try JSONDecoder().decode(
                AppliedApps.self, from: Data(row.next(as: String.self).utf8))
            return applied
        }
    }

    /// Returns whether it was written: not if somebody changed it since the version was read.
    public func write(_ apps: AppliedApps, over version: Int64) async throws -> Bool {
        let content = String(decoding: try JSONEncoder().encode(apps), as: UTF8.self)
        return try await db.write.run(
            """
            INSERT INTO applied_files (section, content, version) VALUES ('apps', \(content)::text::jsonb, 1)
            ON CONFLICT (section) DO UPDATE
            SET content = excluded.content, version = applied_files.version + 1, applied_at = excluded.applied_at
            WHERE applied_files.version = \(version)
            """) == 1
    }
}
