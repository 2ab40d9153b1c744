#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A type that can be read from a column.
public protocol PostgresDecodable {
    /// Reads one cell. Throws `cell.mismatch(Self.self)` if it is NULL or of another type.
    init(cell: Cell) throws
}

/// One value of a result.
///
/// Its bytes live only as long as its `Rows`: read it, do not keep it.
public struct Cell {
    /// The value's bytes. Nil if the value is NULL.
    public let bytes: UnsafeRawBufferPointer?
    public let oid: UInt32
    public let isBinary: Bool

    @usableFromInline
    init(bytes: UnsafeRawBufferPointer?, oid: UInt32, isBinary: Bool) {
        self.bytes = bytes
        self.oid = oid
        self.isBinary = isBinary
    }

    /// Returns the error to throw if the cell does not hold a `type`.
    public func mismatch<T>(_ type: T.Type) -> any Error {
        CellError(found: bytes == nil ? nil : oid)
    }

    func binary<T>(_ type: T.Type, size: Int) throws -> UnsafeRawBufferPointer {
        guard let bytes, isBinary, bytes.count == size else { throw mismatch(type) }
        return bytes
    }
}

struct CellError: Error {
    /// The type found instead. Nil for NULL.
    let found: UInt32?
}

extension String: PostgresDecodable {
    public init(cell: Cell) throws {
        guard var bytes = cell.bytes else { throw cell.mismatch(String.self) }
        switch cell.oid {
        case OID.text, OID.varchar, OID.name, OID.bpchar, OID.json, OID.unknown: break
        case OID.jsonb:
            // Binary jsonb starts with the version of its format, 1.
            if cell.isBinary { bytes = UnsafeRawBufferPointer(rebasing: bytes.dropFirst()) }
        default:
            if cell.isBinary { throw cell.mismatch(String.self) }
        }
        self = String(decoding: bytes, as: UTF8.self)
    }
}

extension Int64: PostgresDecodable {
    public init(cell: Cell) throws {
        guard let bytes = cell.bytes, cell.isBinary else { throw cell.mismatch(Int64.self) }
        switch (cell.oid, bytes.count) {
        case (OID.int8, 8): self = Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
        case (OID.int4, 4): self = Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
        case (OID.int2, 2): self = Int64(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self)))
        case (OID.oid, 4): self = Int64(UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self)))
        default: throw cell.mismatch(Int64.self)
        }
    }
}

extension Int: PostgresDecodable {
    public init(cell: Cell) throws {
        self = Int(try Int64(cell: cell))
    }
}

extension Int32: PostgresDecodable {
    public init(cell: Cell) throws {
        guard let value = Int32(exactly: try Int64(cell: cell)) else { throw cell.mismatch(Int32.self) }
        self = value
    }
}

extension Int16: PostgresDecodable {
    public init(cell: Cell) throws {
        guard let value = Int16(exactly: try Int64(cell: cell)) else { throw cell.mismatch(Int16.self) }
        self = value
    }
}

extension Bool: PostgresDecodable {
    public init(cell: Cell) throws {
        guard cell.oid == OID.bool else { throw cell.mismatch(Bool.self) }
        self = try cell.binary(Bool.self, size: 1)[0] != 0
    }
}

extension Double: PostgresDecodable {
    public init(cell: Cell) throws {
        switch cell.oid {
        case OID.float8:
            let bytes = try cell.binary(Double.self, size: 8)
            self = Double(bitPattern: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)))
        case OID.float4:
            let bytes = try cell.binary(Double.self, size: 4)
            self = Double(Float(bitPattern: UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self))))
        default: throw cell.mismatch(Double.self)
        }
    }
}

extension UUID: PostgresDecodable {
    public init(cell: Cell) throws {
        guard cell.oid == OID.uuid else { throw cell.mismatch(UUID.self) }
        self = UUID(uuid: try cell.binary(UUID.self, size: 16).loadUnaligned(as: uuid_t.self))
    }
}

extension UUID: PostgresArrayElement {}

extension Date: PostgresDecodable {
    public init(cell: Cell) throws {
        guard cell.oid == OID.timestamptz else { throw cell.mismatch(Date.self) }
        let bytes = try cell.binary(Date.self, size: 8)
        switch Int64(bigEndian: bytes.loadUnaligned(as: Int64.self)) {
        case .max: self = .distantFuture
        case .min: self = .distantPast
        case let microseconds:
            // Subtract integers: the difference of two doubles would lose the last digits.
            let (since2001, overflow) = microseconds.subtractingReportingOverflow(
                Int64(Date.secondsFrom2000To2001) * 1_000_000)
            self = overflow ? .distantPast : Date(timeIntervalSinceReferenceDate: Double(since2001) / 1e6)
        }
    }
}

extension Date: PostgresArrayElement {}

extension Optional: PostgresDecodable where Wrapped: PostgresDecodable {
    @inlinable
    public init(cell: Cell) throws {
        self = cell.bytes == nil ? nil : try Wrapped(cell: cell)
    }
}

/// Typed ids and string enums are read as their raw values.
extension PostgresDecodable where Self: RawRepresentable, RawValue: PostgresDecodable {
    public init(cell: Cell) throws {
        guard let value = Self(rawValue: try RawValue(cell: cell)) else { throw cell.mismatch(Self.self) }
        self = value
    }
}
