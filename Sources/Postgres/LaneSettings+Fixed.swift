/// Sets what the text of values and the meaning of statements depend on, over the settings of the role and the database.
extension LaneSettings {
    static var fixed: Statement {
        """
        SELECT set_config('bytea_output', 'hex', false), set_config('datestyle', 'ISO, MDY', false),
               set_config('intervalstyle', 'postgres', false), set_config('timezone', 'UTC', false),
               set_config('standard_conforming_strings', 'on', false),
               set_config('default_transaction_isolation', 'read committed', false),
               set_config('search_path',
                          concat_ws(', ', nullif(current_setting('search_path'), ''), 'public'), false)
        """
    }
}
