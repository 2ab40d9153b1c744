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

    /// All, in order. Until 0.1.0 a change edits the file of its concern; from then on it adds a file.
    public static let all = [
        Migration(1, "schema_migrations", PackageResources._001_schema_migrations_sql),
        Migration(2, "users", PackageResources._002_users_sql),
        Migration(3, "usernames", PackageResources._003_usernames_sql),
        Migration(4, "relationships", PackageResources._004_relationships_sql),
        Migration(5, "dismissals", PackageResources._005_dismissals_sql),
        Migration(6, "invites", PackageResources._006_invites_sql),
        Migration(7, "signups", PackageResources._007_signups_sql),
        Migration(8, "keys", PackageResources._008_keys_sql),
        Migration(9, "rate_limits", PackageResources._009_rate_limits_sql),
        Migration(10, "guards", PackageResources._010_guards_sql),
        Migration(11, "installs", PackageResources._011_installs_sql),
        Migration(12, "applied_files", PackageResources._012_applied_files_sql),
        Migration(13, "links", PackageResources._013_links_sql),
        Migration(14, "clicks", PackageResources._014_clicks_sql),
        Migration(15, "events", PackageResources._015_events_sql),
        Migration(16, "webhooks", PackageResources._016_webhooks_sql),
        Migration(17, "audit", PackageResources._017_audit_sql),
        Migration(18, "client_versions", PackageResources._018_client_versions_sql),
        Migration(19, "offers", PackageResources._019_offers_sql),
        Migration(20, "purchases", PackageResources._020_purchases_sql),
        Migration(21, "experiments", PackageResources._021_experiments_sql),
        Migration(22, "rewards", PackageResources._022_rewards_sql),
        Migration(23, "publications", PackageResources._023_publications_sql),
        Migration(24, "config_drafts", PackageResources._024_config_drafts_sql),
        Migration(25, "people", PackageResources._025_people_sql),
        Migration(26, "counts", PackageResources._026_counts_sql),
    ]

    /// The tables that all of them together make.
    public static let tables = [
        "acceptances", "api_keys", "applied_files", "appstore_notifications", "audit",
        "clicks", "client_versions", "config_drafts", "conversions", "count_positions", "counts",
        "dismissals", "event_numbers", "events",
        "experiment_days", "experiment_goal_days", "exposures", "installs", "invite_uses", "invites",
        "invites_by_owner", "left_out_visits",
        "link_claims", "links", "offer_campaigns",
        "offer_codes", "outbox", "people", "publications", "purchase_periods", "purchases",
        "rate_limits", "referrals", "relationships", "reward_actions", "reward_budgets", "reward_positions",
        "reward_postings", "reward_signals", "rewards", "schema_migrations", "secrets", "sessions",
        "sign_in_links", "signups", "test_devices", "username_periods",
        "usernames", "users", "visitor_salts", "webhook_deliveries",
        "webhooks",
    ]

    /// Their functions.
    public static let functions = [
        "activate_names", "change_relationship", "copy_user", "end_relationships", "fold",
        "forget_dead_invites", "forget_ends", "invite_and_owner", "keep_days", "link_search_text",
        "lock_users_of",
        "number_events", "relationship_after", "relationship_event",
        "require", "require_mirror", "require_mirrors", "require_row", "revoke_personal_invite", "sort_key",
        "tell_if",
        "user_id",
        "user_of_name",
    ]

    /// Those of them that Citus must have on every node, because statements there call them.
    public static let functionsOnNodes = [
        "fold", "invite_and_owner", "link_search_text", "relationship_after", "relationship_event", "require",
        "require_row",
        "sort_key",
        "user_id", "user_of_name",
    ]

    /// Spreads the tables over a Citus cluster: `sql/citus/distribute.sql`.
    public static let distribution = String(decoding: PackageResources.distribute_sql, as: UTF8.self)
}
