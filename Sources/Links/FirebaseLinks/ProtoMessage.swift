import Web

/// A message of Google's APIs in JSON (https://protobuf.dev/programming-guides/json/). A field has its name
/// in camelCase or with `_`. Null and an empty text count as absent. Numbers and texts stand for each other.
/// Unknown fields are ignored.
struct ProtoMessage: Sendable {
    private let tree: JSONTree
    /// The path of the fields, for errors. It is empty or ends with a dot.
    private let path: String

    private init(_ tree: JSONTree, _ path: String) {
        (self.tree, self.path) = (tree, path)
    }

    /// - Parameter object: a JSON object that names each field once.
    init(_ object: [UInt8]) throws(Problem) {
        do throws(JSONFault) {
            self.init(try JSONTree(object, .anyFields), "")
        } catch {
            throw .malformedBody("is not valid JSON: \(error.reason)")
        }
    }

    private func value(_ name: String) throws(Problem) -> JSONTree? {
        let found = [tree[name], name == Self.snake(name) ? nil : tree[Self.snake(name)]].compactMap(\.self)
        guard found.count <= 1 else { throw .invalid(path + name, "is given twice") }
        return found.first?.value == .null ? nil : found.first
    }

    /// Returns a name with `_`: `customSuffix` becomes `custom_suffix`.
    private static func snake(_ name: String) -> String {
        name.map { $0.isUppercase ? "_\($0.lowercased())" : "\($0)" }.joined()
    }

    /// Returns the message in a field. Nil if it is absent.
    func message(_ name: String) throws(Problem) -> ProtoMessage? {
        guard let value = try value(name) else { return nil }
        guard case .object = value.value else { throw .invalid(path + name, "must be an object") }
        return ProtoMessage(value, "\(path)\(name).")
    }

    /// - Parameter field: the field's path, such as `iosInfo.iosBundleId`.
    func text(_ field: String) throws(Problem) -> String? {
        guard let (message, name) = try holder(of: field), let value = try message.value(name) else {
            return nil
        }
        switch value.value {
        case .text(let text): return text.isEmpty ? nil : text
        case .number(let text): return text
        default: throw .invalid(message.path + name, "must be a text")
        }
    }

    /// Returns a flag as `1` or `0`.
    func flag(_ field: String) throws(Problem) -> String? {
        guard let (message, name) = try holder(of: field), let value = try message.value(name) else {
            return nil
        }
        switch value.value {
        case .bool(true), .text("true"), .text("1"), .number("1"): return "1"
        case .bool(false), .text("false"), .text("0"), .number("0"): return "0"
        case .text(""): return nil
        default: throw .invalid(message.path + name, "must be true or false")
        }
    }

    /// Returns a value of an enum, given by its name or by its number.
    func choice<Choice: CaseIterable & RawRepresentable<String>>(_ field: String, of: Choice.Type)
        throws(Problem) -> Choice?
    {
        guard let text = try text(field) else { return nil }
        let all = Array(Choice.allCases)
        if let choice = Choice(rawValue: text) { return choice }
        guard let place = Int(text), all.indices.contains(place) else {
            throw .invalid(path + field, "must be one of \(all.map(\.rawValue).joined(separator: ", "))")
        }
        return all[place]
    }

    /// Returns the message that has a field. Nil if that is absent.
    private func holder(of field: String) throws(Problem) -> (message: ProtoMessage, name: String)? {
        var (message, names) = (self, field.split(separator: ".").map(String.init))
        let last = names.removeLast()
        for name in names {
            guard let inner = try message.message(name) else { return nil }
            message = inner
        }
        return (message, last)
    }
}
