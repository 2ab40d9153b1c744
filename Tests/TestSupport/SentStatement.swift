/// A statement as a client sends it over the wire.
public struct SentStatement: Sendable {
    public struct Value: Sendable {
        /// The OID of its type; 0 if the server infers it.
        public let oid: UInt32
        /// Binary; nil is NULL.
        public let bytes: [UInt8]?

        public init(oid: UInt32, bytes: [UInt8]?) {
            (self.oid, self.bytes) = (oid, bytes)
        }
    }

    public let sql: String
    public let values: [Value]

    /// The statements that a client sent by the extended protocol, from all bytes that it wrote.
    public static func all(in bytes: [UInt8]) -> [SentStatement] {
        var reader = Reader(bytes: bytes[...])
        reader.skipStartup()
        var (prepared, sent): ([String: (sql: String, oids: [UInt32])], [SentStatement]) = ([:], [])
        while let type = reader.bytes.first, reader.bytes.count >= 5 {
            reader.bytes.removeFirst()
            var message = Reader(bytes: reader.take(reader.integer() - 4))
            switch type {
            case UInt8(ascii: "P"):
                prepared[message.text()] = (message.text(), message.list { UInt32($0.integer()) })
            case UInt8(ascii: "B"):
                _ = message.text()
                guard let statement = prepared[message.text()] else { continue }
                _ = message.list { $0.integer(size: 2) }
                let values = message.list { $0.value() }
                let oids = statement.oids + Array(repeating: 0, count: values.count - statement.oids.count)
                sent.append(SentStatement(sql: statement.sql, values: zip(oids, values).map(Value.init)))
            default: break
            }
        }
        return sent
    }
}

/// Reads the protocol's integers and strings. Missing bytes read as zeros.
struct Reader {
    var bytes: ArraySlice<UInt8>

    mutating func take(_ count: Int) -> ArraySlice<UInt8> {
        defer { bytes = bytes.dropFirst(count) }
        return bytes.prefix(count)
    }

    mutating func integer(size: Int = 4) -> Int {
        Int(truncatingIfNeeded: take(size).reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }

    mutating func text() -> String {
        defer { bytes = bytes.dropFirst() }
        return String(decoding: take(bytes.prefix { $0 != 0 }.count), as: UTF8.self)
    }

    mutating func list<Item>(_ item: (inout Reader) -> Item) -> [Item] {
        (0..<integer(size: 2)).map { _ in item(&self) }
    }

    mutating func value() -> [UInt8]? {
        let length = Int(Int32(truncatingIfNeeded: integer()))
        return length < 0 ? nil : Array(take(length))
    }

    /// Skips requests for encryption and the startup message; none of them has a type byte.
    mutating func skipStartup() {
        var isQuestion = true
        while isQuestion, bytes.count >= 8 {
            let length = integer()
            isQuestion = length == 8
            _ = take(length - 4)
        }
    }
}
