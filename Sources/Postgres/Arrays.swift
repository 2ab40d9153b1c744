/// A type whose arrays can be bound in a `Statement` (`WHERE id = ANY(\(ids))`) and read from a row.
public protocol PostgresArrayElement {
    static func bind(of array: [Self]) -> Bind
    static func array(from cell: Cell) throws -> [Self]
    static var arrayOID: UInt32 { get }
}

extension PostgresArrayElement where Self: PostgresEncodable {
    public static var arrayOID: UInt32 { OID.array(of: oid) }

    public static func bind(of array: [Self]) -> Bind {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(20 + array.count * 20)
        func append(_ integer: Int) {
            withUnsafeBytes(of: Int32(integer).bigEndian) { bytes.append(contentsOf: $0) }
        }
        let binds = array.map(\.bind)
        append(array.isEmpty ? 0 : 1)  // dimensions
        append(binds.contains { $0.size == nil } ? 1 : 0)
        append(Int(Int32(bitPattern: oid)))
        if !array.isEmpty {
            append(array.count)
            append(1)  // the first index
        }
        for bind in binds {
            append(bind.size ?? -1)
            let size = bind.size ?? 0
            let start = bytes.count
            bytes.append(contentsOf: repeatElement(0, count: size))
            bytes.withUnsafeMutableBytes { buffer in
                if size > 0, let base = buffer.baseAddress { bind.write(to: base + start) }
            }
        }
        return Bind(oid: arrayOID, bytes: bytes)
    }
}

extension PostgresArrayElement where Self: PostgresDecodable {
    public static func array(from cell: Cell) throws -> [Self] {
        guard let bytes = cell.bytes, bytes.count >= 12 else { throw cell.mismatch([Self].self) }
        func integer(at offset: Int) throws -> Int {
            guard offset + 4 <= bytes.count else { throw cell.mismatch([Self].self) }
            return Int(Int32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self)))
        }
        let dimensions = try integer(at: 0)
        if dimensions == 0 { return [] }
        guard dimensions == 1 else { throw cell.mismatch([Self].self) }
        let element = UInt32(bitPattern: Int32(try integer(at: 8)))
        var offset = 20
        return try (0..<(try integer(at: 12))).map { _ in
            let size = try integer(at: offset)
            offset += 4
            guard size >= 0 else { return try Self(cell: Cell(bytes: nil, oid: element, isBinary: true)) }
            guard offset + size <= bytes.count else { throw cell.mismatch([Self].self) }
            defer { offset += size }
            let part = UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + size)])
            return try Self(cell: Cell(bytes: part, oid: element, isBinary: true))
        }
    }
}

extension Array: PostgresEncodable where Element: PostgresArrayElement {
    public static var oid: UInt32 { Element.arrayOID }
    public var bind: Bind { Element.bind(of: self) }
}

extension Array: PostgresDecodable where Element: PostgresArrayElement {
    public init(cell: Cell) throws {
        self = try Element.array(from: cell)
    }
}

extension String: PostgresArrayElement {}
extension Int: PostgresArrayElement {}
extension Int64: PostgresArrayElement {}
extension Int32: PostgresArrayElement {}
extension Bool: PostgresArrayElement {}
extension Double: PostgresArrayElement {}

/// `[UInt8]` is a `bytea`, not an array: PostgreSQL has no unsigned byte.
extension UInt8: PostgresArrayElement {
    public static var arrayOID: UInt32 { OID.bytea }

    public static func bind(of array: [UInt8]) -> Bind {
        Bind(OID.bytea, .bytes(array))
    }

    public static func array(from cell: Cell) throws -> [UInt8] {
        guard let bytes = cell.bytes, cell.oid == OID.bytea else { throw cell.mismatch([UInt8].self) }
        return Array(bytes)
    }
}
