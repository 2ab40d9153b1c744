package import Kernel
package import Postgres

/// Counts of a user's links. Statistics show them to the user; an export does not.
extension ClickStore: UserDataStore {
    package static func forget(_ user: User.ID) -> [Statement] {
        [
            "DELETE FROM click_counts WHERE link = \(user)::uuid::text",
            """
            WITH codes AS MATERIALIZED (SELECT code FROM invites_by_owner WHERE owner_id = \(user))
            DELETE FROM click_counts c USING codes WHERE c.link = codes.code
            """,
        ]
    }
}
