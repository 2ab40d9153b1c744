import Foundation
import Web

/// What a person entered in a form, by names of fields.
struct Entries: Sendable {
    private let values: [String: String]
    /// How many rows fields have of which each row is a choice.
    private let rows: [String: Int]

    /// Reads a body of a form (`application/x-www-form-urlencoded`). Of a name that comes twice the last one
    /// counts. Nil if it is not UTF-8, has a NUL, or more fields than any page.
    init?(_ body: String) {
        var values: [String: String] = [:]
        let pairs = body.utf8.split(separator: UInt8(ascii: "&"), maxSplits: Self.most)
        guard pairs.count <= Self.most else { return nil }
        for pair in pairs {
            let spaced = pair.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
            let end = spaced.firstIndex(of: UInt8(ascii: "=")) ?? spaced.endIndex
            guard let name = PercentEncoding.decode(spaced[..<end]),
                let value = PercentEncoding.decode(spaced[end...].dropFirst())
            else { return nil }
            values[name] = value.replacing("\r\n", with: "\n")
        }
        rows = Self.joinRows(&values)
        self.values = values
    }

    /// The most fields. What a page does with them may cost as much as their number squared.
    private static let most = 5_000

    /// The name of a row of a field.
    static func row(_ place: Int, of name: String) -> String { "\(name):\(place)" }

    /// Puts what was chosen in rows together as one list. Returns how many rows there were.
    private static func joinRows(_ values: inout [String: String]) -> [String: Int] {
        let rows = values.keys.compactMap { key -> (key: String, name: String, place: Int)? in
            guard let end = key.lastIndex(of: ":"), let place = Int(key[end...].dropFirst()) else {
                return nil
            }
            return (key, String(key[..<end]), place)
        }
        let fields = Dictionary(grouping: rows.sorted { $0.place < $1.place }, by: \.name)
        for (name, rows) in fields {
            var seen: Set<String> = []
            let chosen = rows.compactMap { values.removeValue(forKey: $0.key)?.nonEmpty }
            values[name] = chosen.filter { seen.insert($0).inserted }.joined(separator: ",")
        }
        return fields.mapValues(\.count)
    }

    /// How many rows a field has: one more if somebody asks for it.
    func rows(of name: String) -> Int { rows[name, default: 0] + (self[Field.again] == name ? 1 : 0) }

    /// The entry that says what a form showed, so that a change by somebody else meanwhile is seen.
    static let seen = "seen"

    /// The entry that a form has of its own, so that it makes something once, however often it is sent.
    static let once = "once"

    /// The entry with what is asked before it is done, and the one that says that it is meant.
    static let (question, confirmed) = ("question", "confirmed")
    var isToBeAsked: Bool { !self[Self.question].isEmpty && self[Self.confirmed].isEmpty }

    /// What a person entered themselves, and sees again if the form waits for a sign-in.
    var shown: [(name: String, value: String)] {
        let own = ["act", "token", "revision", Self.seen, Self.once, Self.question, Self.confirmed]
        return all.filter { !own.contains($0.name) && !$0.value.isEmpty }
    }

    /// Whether the form had such a field.
    func has(_ name: String) -> Bool { values[name] != nil }

    /// The entry, without blanks around it. Empty if there is none.
    subscript(name: String) -> String {
        (values[name] ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
    }

    var all: [(name: String, value: String)] { values.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }

    /// Makes the body of a call of fields: an empty entry is left out.
    func body(_ fields: [Field]) -> JSONBody {
        var body = JSONBody.object([:])
        for field in fields {
            guard let value = value(of: field) else { continue }
            body.set(value, at: field.name)
        }
        return body
    }

    private func value(of field: Field) -> JSONBody? {
        let text = self[field.name]
        switch field.kind {
        case .check: return .bool(text == "true")
        case .list:
            let parts = text.split(whereSeparator: { $0 == "," || $0 == "、" || $0.isNewline })
                .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
            return .list(parts.map(JSONBody.text))
        // What is no number goes as it is, so that the API says what is wrong with it.
        case .number: return text.isEmpty ? nil : Int(text).map(JSONBody.int) ?? .text(text)
        default: return text.isEmpty ? nil : .text(text)
        }
    }
}

/// JSON that a form makes.
indirect enum JSONBody: Encodable, Equatable, Sendable {
    case object([String: JSONBody])
    case list([JSONBody])
    case text(String)
    case int(Int)
    case bool(Bool)
    case null

    /// Sets a member by its dotted name, such as `when.version.gte`.
    mutating func set(_ value: JSONBody, at name: String) {
        // Nothing that is published is so deep, and a name of thousands of dots must not end the server.
        set(value, at: name.split(separator: ".", maxSplits: 9).map(String.init)[...])
    }

    private mutating func set(_ value: JSONBody, at path: ArraySlice<String>) {
        guard let name = path.first else {
            self = value
            return
        }
        var members = if case .object(let members) = self { members } else { [String: JSONBody]() }
        var member = members[name] ?? .object([:])
        member.set(value, at: path.dropFirst())
        members[name] = member
        self = .object(members)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .object(let members): try container.encode(members)
        case .list(let elements): try container.encode(elements)
        case .text(let text): try container.encode(text)
        case .int(let int): try container.encode(int)
        case .bool(let bool): try container.encode(bool)
        case .null: try container.encodeNil()
        }
    }

    /// Without the members that are null.
    var withoutNulls: JSONBody {
        guard case .object(let members) = self else { return self }
        return .object(members.filter { $0.value != .null }.mapValues(\.withoutNulls))
    }

    var json: String { (try? JSON.text(self)) ?? "{}" }
}
