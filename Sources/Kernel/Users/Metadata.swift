import Foundation
import Web

extension User {
    /// What the app stores with a profile: 1 to 16 strings by key, at most 1,024 bytes as JSON. Kith does not
    /// interpret them.
    package struct Metadata: Equatable, Sendable {
        let strings: [String: String]

        package static let (maxEntries, maxBytes, maxKey) = (16, 1024, 64)

        /// Nil if there is nothing or too much in it, or a key or string that is not allowed.
        init?(_ strings: [String: String]) {
            self.strings = strings
            let isAllowed = strings.allSatisfy { key, text in
                Self.isKey(key) && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
            }
            guard (1...Self.maxEntries).contains(strings.count), isAllowed, json.utf8.count <= Self.maxBytes
            else { return nil }
        }

        private static func isKey(_ key: String) -> Bool {
            (1...maxKey).contains(key.utf8.count)
                && key.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "_.-".utf8.contains($0) }
        }

        /// Reads JSON that `json` wrote.
        package init(stored json: String) throws {
            strings = try JSONDecoder().decode([String: String].self, from: Data(json.utf8))
        }

        /// A JSON object with sorted keys and without spaces, so that equal strings have equal text.
        package var json: String {
            var text = JSONText(capacity: Self.maxBytes)
            text.raw("{")
            for (number, key) in strings.keys.sorted().enumerated() {
                text.raw(number == 0 ? "\"" : ",\"")
                text.escaped(key)
                text.raw("\":\"")
                text.escaped(strings[key] ?? "")
                text.raw("\"")
            }
            text.raw("}")
            return String(decoding: text.bytes, as: UTF8.self)
        }
    }
}

extension User.Metadata: Codable {
    package init(from decoder: any Decoder) throws {
        strings = try decoder.singleValueContainer().decode([String: String].self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(strings)
    }
}
