/// A JSON text with the line of each value and its names in order, including repeated ones. It serves to tell
/// people what to mend.
package struct JSONTree: Hashable, Sendable {
    package enum Value: Hashable, Sendable {
        case object([Member])
        case array([JSONTree])
        case text(String)
        case bool(Bool)
        /// A number as it was written.
        case number(String)
        case null
    }

    package struct Member: Hashable, Sendable {
        package let key: String
        package let value: JSONTree

        package init(key: String, value: JSONTree) {
            self.key = key
            self.value = value
        }
    }

    package let value: Value
    package let line: Int

    package init(_ bytes: [UInt8], _ bounds: JSONBounds = .document) throws(JSONFault) {
        var tokens = JSONTokenizer(bytes, bounds)
        self = try Self(&tokens, tokens.next())
        _ = try tokens.next()
    }

    /// - Parameter first: the token with which the value begins.
    private init(_ tokens: inout JSONTokenizer<[UInt8]>, _ first: JSONToken) throws(JSONFault) {
        line = tokens.line
        switch first {
        case .object:
            var members: [Member] = []
            while case .name(let key) = try tokens.next() {
                members.append(Member(key: key, value: try JSONTree(&tokens, tokens.next())))
            }
            value = .object(members)
        case .array:
            var elements: [JSONTree] = []
            var token = try tokens.next()
            while token != .endOfArray {
                elements.append(try JSONTree(&tokens, token))
                token = try tokens.next()
            }
            value = .array(elements)
        case .text(let text): value = .text(text)
        case .number(let text): value = .number(text)
        case .bool(let bool): value = .bool(bool)
        // No other token stands where a value begins.
        case .null, .name, .endOfObject, .endOfArray, .end: value = .null
        }
    }

    package init(_ value: Value, line: Int) {
        (self.value, self.line) = (value, line)
    }

    package var members: [Member]? { if case .object(let members) = value { members } else { nil } }
    package var elements: [JSONTree]? { if case .array(let elements) = value { elements } else { nil } }
    package var text: String? { if case .text(let text) = value { text } else { nil } }
    package var bool: Bool? { if case .bool(let bool) = value { bool } else { nil } }

    /// Returns the first value with that name.
    package subscript(key: String) -> JSONTree? { members?.first { $0.key == key }?.value }

    /// What the value is, for a sentence.
    package var kind: String {
        switch value {
        case .object: "an object"
        case .array: "a list"
        case .text: "a text"
        case .bool(let bool): bool ? "true" : "false"
        case .number: "a number"
        case .null: "null"
        }
    }
}
