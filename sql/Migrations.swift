/// A step of the schema, as it stands in `sql/migrations/`.
public struct Migration: Sendable {
    /// The number that the file's name begins with.
    public let version: Int
    /// The rest of its name.
    public let name: String
    public let sql: String

    /// A statement like CREATE INDEX CONCURRENTLY cannot run in a transaction; its file says so in the
    /// first line, and holds nothing else but the entry in `schema_migrations`.
    public var runsInTransaction: Bool { !sql.hasPrefix("-- kith: no transaction") }

    fileprivate init(_ version: Int, _ name: String, _ bytes: [UInt8]) {
        self.version = version
        self.name = name
        sql = String(decoding: bytes, as: UTF8.self)
    }

    /// All, in order. Append only: a released migration is never changed.
    public static let all = [
        Migration(1, "schema_migrations", PackageResources._001_schema_migrations_sql),
        Migration(2, "users", PackageResources._002_users_sql),
        Migration(3, "usernames", PackageResources._003_usernames_sql),
        Migration(4, "relationships", PackageResources._004_relationships_sql),
        Migration(5, "invites", PackageResources._005_invites_sql),
        Migration(6, "api_keys", PackageResources._006_api_keys_sql),
        Migration(7, "friend_graph", PackageResources._007_friend_graph_sql),
        Migration(8, "account_life", PackageResources._008_account_life_sql),
        Migration(9, "names_beside_friends", PackageResources._009_names_beside_friends_sql),
        Migration(10, "link_uses_by_user", PackageResources._010_link_uses_by_user_sql),
        Migration(11, "bounds_of_the_graph", PackageResources._011_bounds_of_the_graph_sql),
        Migration(12, "names_and_accounts", PackageResources._012_names_and_accounts_sql),
        Migration(13, "rate_limits", PackageResources._013_rate_limits_sql),
        Migration(14, "links_by_owner_all", PackageResources._014_links_by_owner_all_sql),
        Migration(15, "absence", PackageResources._015_absence_sql),
    ]
}
