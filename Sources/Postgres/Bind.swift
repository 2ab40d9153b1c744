#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A value that can be bound in a `Statement`.
public protocol PostgresEncodable {
    var bind: Bind { get }

    /// The type with which a NULL is sent; 0 lets the server infer it.
    static var oid: UInt32 { get }
}

extension PostgresEncodable {
    public static var oid: UInt32 { 0 }
}

/// One parameter as it is sent: type, format, and bytes or NULL.
public struct Bind: Sendable {
    public enum Format: Int32, Sendable {
        case text = 0
        case binary = 1
    }

    // Small values are stored inline: a bind of a hot statement should not cost an allocation.
    enum Value: Sendable {
        case null
        case integer(Int64, size: UInt8)
        case uuid(UUID)
        case string(String)
        case bytes([UInt8])
    }

    public let oid: UInt32
    public let format: Format
    let value: Value

    init(_ oid: UInt32, _ value: Value) {
        self.oid = oid
        format = .binary
        self.value = value
    }

    /// A value of any type: `bytes` in `format`, or NULL if they are nil.
    public init(oid: UInt32, format: Format = .binary, bytes: [UInt8]?) {
        self.oid = oid
        self.format = format
        value = bytes.map { .bytes($0) } ?? .null
    }

    /// The value's size in bytes as sent. Nil for NULL.
    var size: Int? {
        switch value {
        case .null: nil
        case .integer(_, let size): Int(size)
        case .uuid: 16
        case .string(let string): string.utf8.count
        case .bytes(let bytes): bytes.count
        }
    }

    /// Writes the value's `size` bytes to `target`.
    func write(to target: UnsafeMutableRawPointer) {
        switch value {
        case .null: break
        case .integer(let integer, let size):
            withUnsafeBytes(of: integer.bigEndian) { bytes in
                UnsafeMutableRawBufferPointer(start: target, count: Int(size))
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[(8 - Int(size))...]))
            }
        case .uuid(let uuid): target.storeBytes(of: uuid.uuid, as: uuid_t.self)
        case .string(var string): string.withUTF8 { copy(UnsafeRawBufferPointer($0), to: target) }
        case .bytes(let bytes): bytes.withUnsafeBytes { copy($0, to: target) }
        }
    }

    private func copy(_ bytes: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer) {
        UnsafeMutableRawBufferPointer(start: target, count: bytes.count).copyMemory(from: bytes)
    }
}
