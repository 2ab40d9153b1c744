import Counts
package import Kernel
package import Postgres

/// Counts of a user's links. Statistics show them to the user; an export does not. Sums of all links stay:
/// they tell of nobody.
extension ClickStore: UserDataStore {
    package static func forget(_ user: User.ID) -> [Statement] {
        forget("(\(user)::uuid::text || ARRAY(SELECT code FROM invites_by_owner WHERE owner_id = \(user)))")
    }

    /// Removes what was counted while the account was deleted. Who counts afterwards sees that it is.
    package static func forgetMore(of user: User.ID, _ db: Database) async throws {
        try await db.bulk.batch([CountStore.waitForCounting] + forget(user))
    }
}
