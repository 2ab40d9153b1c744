import Foundation

/// The JSON body of a request: a dictionary literal, or a string if the exact bytes matter.
struct Body: JSONValue, CustomStringConvertible, ExpressibleByDictionaryLiteral,
    ExpressibleByStringInterpolation
{
    let json: String
    var description: String { json }

    init(stringLiteral text: String) {
        json = text
    }

    /// The fields keep their order; nil is `null`.
    init(dictionaryLiteral fields: (String, (any JSONValue)?)...) {
        json = "{\(fields.map { "\($0.json):\($1?.json ?? "null")" }.joined(separator: ","))}"
    }
}

/// A value of a body.
protocol JSONValue: Sendable {
    var json: String { get }
}

extension String: JSONValue {
    var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}

extension Int: JSONValue {
    var json: String { String(self) }
}

extension Bool: JSONValue {
    var json: String { String(self) }
}

extension Array: JSONValue where Element: JSONValue {
    var json: String { "[\(map(\.json).joined(separator: ","))]" }
}

extension Dictionary: JSONValue where Key == String, Value: JSONValue {
    var json: String {
        "{\(sorted { $0.key < $1.key }.map { "\($0.json):\($1.json)" }.joined(separator: ","))}"
    }
}
