#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Binds for Swift's own types.
extension String: PostgresEncodable {
    public static var oid: UInt32 { OID.text }
    public var bind: Bind { Bind(OID.text, .string(self)) }
}

extension Int: PostgresEncodable {
    public static var oid: UInt32 { OID.int8 }
    public var bind: Bind { Bind(OID.int8, .integer(Int64(self), size: 8)) }
}

extension Int64: PostgresEncodable {
    public static var oid: UInt32 { OID.int8 }
    public var bind: Bind { Bind(OID.int8, .integer(self, size: 8)) }
}

extension Int32: PostgresEncodable {
    public static var oid: UInt32 { OID.int4 }
    public var bind: Bind { Bind(OID.int4, .integer(Int64(self), size: 4)) }
}

extension Int16: PostgresEncodable {
    public static var oid: UInt32 { OID.int2 }
    public var bind: Bind { Bind(OID.int2, .integer(Int64(self), size: 2)) }
}

extension Bool: PostgresEncodable {
    public static var oid: UInt32 { OID.bool }
    public var bind: Bind { Bind(OID.bool, .integer(self ? 1 : 0, size: 1)) }
}

extension Double: PostgresEncodable {
    public static var oid: UInt32 { OID.float8 }
    public var bind: Bind { Bind(OID.float8, .integer(Int64(bitPattern: bitPattern), size: 8)) }
}

extension UUID: PostgresEncodable {
    public static var oid: UInt32 { OID.uuid }
    public var bind: Bind { Bind(OID.uuid, .uuid(self)) }
}

/// A `timestamptz`, rounded to microseconds.
///
/// Dates outside its range become `infinity` or `-infinity`.
extension Date: PostgresEncodable {
    public static var oid: UInt32 { OID.timestamptz }
    public var bind: Bind { Bind(OID.timestamptz, .integer(microsecondsSince2000, size: 8)) }

    // PostgreSQL counts from 2000-01-01, Foundation from 2001-01-01; 2000 was a leap year.
    static let secondsFrom2000To2001: Double = 366 * 86_400

    // The years -4713 to 294276.
    private static let beginning = -211_813_488_000_000_000.0
    private static let end = 9_223_371_331_200_000_000.0

    private var microsecondsSince2000: Int64 {
        let microseconds = ((timeIntervalSinceReferenceDate + Date.secondsFrom2000To2001) * 1e6).rounded()
        if microseconds >= Date.end { return .max }
        return microseconds >= Date.beginning ? Int64(microseconds) : .min
    }
}

extension Optional: PostgresEncodable where Wrapped: PostgresEncodable {
    public static var oid: UInt32 { Wrapped.oid }
    public var bind: Bind { self?.bind ?? Bind(Wrapped.oid, .null) }
}

/// Typed ids and string enums bind as their raw values.
extension PostgresEncodable where Self: RawRepresentable, RawValue: PostgresEncodable {
    public static var oid: UInt32 { RawValue.oid }
    public var bind: Bind { rawValue.bind }
}
