package import Postgres

/// How queries read the parts of sums, as `CountParts` does.
extension CountStore {
    /// Returns a query of the values of a dimension with their counts and places, but for what nobody can
    /// read: `value`, `count`, `place`.
    package static func parts(by dimension: CountDimension, in parts: Statement) -> Statement {
        """
        SELECT e.key AS value, e.value::bigint AS count, row_number() OVER () AS place
        FROM jsonb_each_text(CASE jsonb_typeof(\(parts) -> \(dimension.rawValue)::text)
                                 WHEN 'object' THEN \(parts) -> \(dimension.rawValue)::text END) AS e
        WHERE e.value ~ '^[0-9]{1,15}$'
        """
    }
}
