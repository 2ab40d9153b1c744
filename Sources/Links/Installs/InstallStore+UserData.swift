package import Kernel
package import Postgres

extension InstallStore: UserDataStore {
    /// Deletes the taps on the user's links, which strangers made. It first waits for transactions that saw
    /// the account before it was deleted, and hold it. A remaining row leads nowhere, and `kith verify` finds
    /// it.
    package static func forgetMore(of user: User.ID, _ db: Database) async throws {
        let part = 5_000
        var count = part
        while count == part {
            let results = try await db.bulk.batch([
                "SELECT 1 FROM users WHERE id = \(user) FOR UPDATE",
                """
                WITH taps AS MATERIALIZED (SELECT id FROM installs WHERE inviter_id = \(user) LIMIT \(part))
                DELETE FROM installs i USING taps WHERE i.inviter_id = \(user) AND i.id = taps.id
                """,
            ])
            count = results[1].affected
        }
    }
}
