package import Postgres
import Visits

/// Every statement on `link_claims`.
package struct LinkClaimStore: Sendable {
    package var db: Database

    package init(db: Database) {
        self.db = db
    }

    /// Adds a claim. Returns whether the installation claims the link for the first time.
    func add(_ link: ClickedLink, of installation: InstallationID) async throws -> Bool {
        try await db.write.run(
            """
            INSERT INTO link_claims (link, installation, expires_at)
            VALUES (\(link.text), \(installation.hash),
                    now() + \(Double(InstallPolicy.lifetime.components.seconds)) * interval '1 second')
            ON CONFLICT DO NOTHING
            """) == 1
    }

    /// Deletes expired rows, in parts, so that no statement takes long.
    package func forgetExpired(part: Int = 5000) async throws {
        var count = part
        while count == part {
            count = try await db.bulk.run(
                """
                WITH expired AS MATERIALIZED (
                    SELECT link, installation FROM link_claims WHERE expires_at <= now() ORDER BY expires_at
                    LIMIT \(part))
                -- By = alone the planner may read the whole table instead of its key.
                DELETE FROM link_claims c USING expired e
                WHERE c.link = e.link AND c.installation = ANY (ARRAY[e.installation])
                """)
        }
    }
}
