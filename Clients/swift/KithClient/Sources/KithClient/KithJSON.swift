import Foundation

/// Reads and writes JSON as Kith does: times with milliseconds in UTC.
enum KithJSON {
    static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom {
            let container = try $0.singleValueContainer()
            let text = try container.decode(String.self)
            guard let date = try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(text) else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "no time: \(text)")
            }
            return date
        }
        return try decoder.decode(type, from: data)
    }

    static func encode(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            // The style cuts what is behind the milliseconds, and .123 is .12299… in a `Date`.
            try container.encode((date + 0.0004).formatted(style))
        }
        return try encoder.encode(value)
    }
}
