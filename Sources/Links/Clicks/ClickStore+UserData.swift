package import Kernel
package import Postgres

/// Counts of a user's links. Statistics show them to the user; an export does not. Sums of all links stay:
/// they tell of nobody.
extension ClickStore: UserDataStore {
    package static func forget(_ user: User.ID) -> [Statement] {
        forget("ARRAY[\(user)::uuid::text]")
            + forget("ARRAY(SELECT code FROM invites_by_owner WHERE owner_id = \(user))")
    }
}
