/// SQL with separate values: `"… WHERE id = \(id)"` sends `$1` and a bind, never text.
public struct Statement: Sendable {
    /// The text that PostgreSQL gets, with `$1`, `$2`, … in the places of values.
    public private(set) var sql: String
    public private(set) var binds: [Bind]

    /// Takes text made at run time: for scripts and the driver's own statements.
    init(sql: String) {
        self.sql = sql
        binds = []
    }
}

extension Statement: ExpressibleByStringInterpolation {
    public init(stringLiteral value: String) {
        sql = value
        binds = []
    }

    public init(stringInterpolation: Interpolation) {
        sql = stringInterpolation.sql
        binds = stringInterpolation.binds
    }

    public struct Interpolation: StringInterpolationProtocol {
        var sql = ""
        var binds: [Bind] = []

        public init(literalCapacity: Int, interpolationCount: Int) {
            sql.reserveCapacity(literalCapacity + interpolationCount * 3)
            binds.reserveCapacity(interpolationCount)
        }

        public mutating func appendLiteral(_ literal: String) {
            sql += literal
        }

        public mutating func appendInterpolation(_ value: some PostgresEncodable) {
            binds.append(value.bind)
            sql += "$"
            sql += String(binds.count)
        }

        // The compiler warns of optionals in an interpolation unless it finds one that takes them.
        public mutating func appendInterpolation<T: PostgresEncodable>(_ value: T?) {
            binds.append(value.bind)
            sql += "$"
            sql += String(binds.count)
        }
    }
}
