/// SQL with separate values: `"… WHERE id = \(id)"` sends `$1` and a bind, never text.
///
/// All text comes from the source, because literals are `StaticString`s. A statement interpolated into
/// another becomes part of its text, so that statements can share a condition.
public struct Statement: Sendable {
    /// The text that PostgreSQL gets, with `$1`, `$2`, … in the places of values.
    public let sql: String
    public let binds: [Bind]

    /// Creates a statement from text made at run time, for scripts and the driver's own statements.
    init(sql: String, binds: [Bind] = []) {
        self.sql = sql
        self.binds = binds
    }
}

extension Statement: ExpressibleByStringInterpolation {
    public init(stringLiteral text: StaticString) {
        self.init(sql: text.description)
    }

    public init(stringInterpolation: Interpolation) {
        self.init(
            sql: String(decoding: stringInterpolation.text, as: UTF8.self), binds: stringInterpolation.binds)
    }

    public struct Interpolation: StringInterpolationProtocol {
        fileprivate var text: [UInt8] = []
        fileprivate var binds: [Bind] = []

        public init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + interpolationCount * 3)
            binds.reserveCapacity(interpolationCount)
        }

        public mutating func appendLiteral(_ literal: StaticString) {
            literal.withUTF8Buffer { text.append(contentsOf: $0) }
        }

        public mutating func appendInterpolation(_ value: some PostgresEncodable) {
            append(value.bind)
        }

        // The compiler warns of optionals in an interpolation unless it finds one that takes them.
        public mutating func appendInterpolation<T: PostgresEncodable>(_ value: T?) {
            append(value.bind)
        }

        /// Inserts the text of `part`, and numbers its values after the earlier ones.
        public mutating func appendInterpolation(_ part: Statement) {
            var sql = part.sql
            sql.withUTF8 { sql in
                var binds = part.binds.makeIterator()
                var rest = sql[...]
                while !part.binds.isEmpty, let dollar = rest.firstIndex(of: UInt8(ascii: "$")) {
                    text.append(contentsOf: UnsafeBufferPointer(rebasing: rest[..<dollar]))
                    rest = rest[dollar...].dropFirst()
                    let number = rest.prefix { (0x30...0x39).contains($0) }
                    if !number.isEmpty, let bind = binds.next() {
                        append(bind)
                        rest = rest[number.endIndex...]
                    } else {
                        text.append(UInt8(ascii: "$"))
                    }
                }
                text.append(contentsOf: UnsafeBufferPointer(rebasing: rest))
            }
        }

        private mutating func append(_ bind: Bind) {
            binds.append(bind)
            text.append(UInt8(ascii: "$"))
            text.append(contentsOf: String(binds.count).utf8)
        }
    }
}

extension Sequence<Statement> {
    /// Joins the statements into one.
    public func joined(separator: Statement = "") -> Statement {
        reduce(into: nil as Statement?) { joined, part in
            joined = joined.map { "\($0)\(separator)\(part)" } ?? part
        } ?? ""
    }
}
