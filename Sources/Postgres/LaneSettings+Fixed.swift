/// Settings that override those of the role and the database, because the text of values and the meaning of
/// statements depend on them.
extension LaneSettings {
    static let fixed = [
        ("bytea_output", "hex"), ("datestyle", "ISO, MDY"), ("intervalstyle", "postgres"),
        ("timezone", "UTC"), ("standard_conforming_strings", "on"),
        // Statements end before a compiler could start, but the planner's estimates sometimes say otherwise.
        ("jit", "off"),
    ]

    /// Sets `settings`, for the session or for the transaction.
    static func set(_ settings: [(String, String)], inTransaction: Bool) -> Statement {
        let calls = settings.map { name, value -> Statement in
            "set_config(\(name), \(value), \(inTransaction))"
        }
        return """
            SELECT \(calls.joined(separator: ", ")),
                   set_config('search_path', concat_ws(', ', nullif(current_setting('search_path'), ''), 'public'),
                              \(inTransaction))
            """
    }
}
