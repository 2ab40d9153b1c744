extension Feature {
    /// Users, people, callers and what operators apply. `kith keys`, `kith apply` and `kith migrate` write
    /// the tables without rights.
    package static let kernel = Feature(
        tables: [
            Table("users", .insert, .update), Table("audit", .insert),
            Table("rate_limits", .insert, .update, .delete), Table("api_keys"),
            Table("applied_files", .insert, .update),
            Table("publications", .insert), Table("config_drafts", .insert, .update, .delete),
            Table("test_devices", .insert, .update, .delete),
            Table("people", .insert, .update),
            Table("sign_in_links", .insert, .update, .delete), Table("sessions", .insert, .update, .delete),
            Table("secrets"), Table("schema_migrations"),
        ],
        userData: [TestDeviceStore.self], sections: [AppliedFileStore<AppliedApps>.self],
        checks: [.publications])
}
