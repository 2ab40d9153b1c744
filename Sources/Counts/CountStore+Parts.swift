package import Postgres

/// How queries read the parts of sums, as `CountParts` does.
extension CountStore {
    /// Returns the values of a dimension as rows of a query, with their counts, but for what nobody can read.
    package static func parts(by dimension: CountDimension, in parts: Statement) -> Statement {
        """
        jsonb_each_text(CASE jsonb_typeof(\(parts) -> \(dimension.rawValue)::text)
                            WHEN 'object' THEN \(parts) -> \(dimension.rawValue)::text END)
        """
    }

    /// Reads the count of such a row.
    package static func number(_ text: Statement) -> Statement {
        "CASE WHEN \(text) ~ '^[0-9]{1,15}$' THEN \(text)::bigint END"
    }
}
