import Foundation
import TestSupport
import Testing

@testable import AppTesting
@testable import Events
@testable import Kernel

/// docs/events.md, docs/events.json and openapi.yaml say of each type of event the same as an example that
/// was made.
@Suite struct EventDocumentTests {
    /// The members of `data` beside `user` and `badge`, as they were sent, of each type.
    private static func examples() throws -> [String: [String: Any]] {
        let text = try RepositoryFile.read("docs/events.json")
        let json = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        let types = try #require(json?["$defs"] as? [String: [String: Any]]).filter { $0.key.contains(".") }
        return try types.mapValues { definition in
            let examples = try #require(definition["examples"] as? [[String: Any]])
            return (examples.first?["data"] as? [String: Any] ?? [:]).filter {
                !["user", "badge"].contains($0.key)
            }
        }
    }

    /// What JSON calls the type of a value.
    private static func kind(_ value: Any) -> String {
        if value is String { return "string" }
        guard let number = value as? NSNumber else { return "object" }
        return String(cString: number.objCType) == "c" ? "boolean" : "integer"
    }

    /// The members of each schema of openapi.yaml, with their types or the names of what they refer to.
    private static func schemas() throws -> (mapping: [String: String], members: [String: [String: String]]) {
        var (mapping, members, schema) = ([String: String](), [String: [String: String]](), "")
        for line in try RepositoryFile.read("openapi.yaml").split(separator: "\n") {
            if let found = line.wholeMatch(of: /\ {4}(\w+):/) { schema = String(found.1) }
            if let found = line.wholeMatch(of: /\ {10}([a-z_]+\.[a-z_]+): '#\/components\/schemas\/(\w+)'/) {
                mapping[String(found.1)] = String(found.2)
            }
            guard schema.hasSuffix("Event"), let found = line.wholeMatch(of: /\ {12}(\w+): \{ (.*) \}/) else {
                continue
            }
            let form = found.2
            let named =
                form.firstMatch(of: /schemas\/(\w+)/)?.1 ?? form.firstMatch(of: /type: (\w+)/)?.1 ?? ""
            members[schema, default: [:]][String(found.1)] = String(named)
        }
        return (mapping, members)
    }

    private static let references = [
        "EventUser": "object", "Badge": "integer", "Time": "string", "AppPlatform": "string",
        "ProgramKey": "string", "RewardSide": "string", "RewardKind": "string",
    ]

    @Test func `openapi has each type, and each member with the type that is sent`() throws {
        let (mapping, members) = try Self.schemas()
        #expect(Set(mapping.keys) == Set(Event.Kind.allCases.map(\.rawValue)))
        for (type, example) in try Self.examples() {
            let schema = try #require(mapping[type].flatMap { members[$0] }, "\(type)")
            #expect(schema["badge"] == "Badge" && schema["user"] == "EventUser", "\(type)")
            for (name, value) in example {
                let form = try #require(schema[name], "\(type) has no \(name)")
                #expect((Self.references[form] ?? form) == Self.kind(value), "\(type) \(name)")
            }
        }
        // Nothing that nothing sends.
        let sent = try Self.examples()
        for (schema, names) in members where schema != "Event" {
            let types = mapping.filter { $0.value == schema }.keys
            let all = Set(types.flatMap { sent[$0]?.keys.map(\.self) ?? [] }).union(["user", "badge"])
            #expect(Set(names.keys) == all, "\(schema)")
        }
    }

    @Test func `the table names each member, and no value that never comes`() throws {
        let definitions = try RepositoryFile.read("docs/events.json")
        var (rows, last) = ([String: Set<String>](), Set<String>())
        for line in try RepositoryFile.read("docs/events.md").split(separator: "\n") {
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).map {
                $0.trimmingPrefix(" ")
            }
            guard cells.count == 6, let type = cells[1].firstMatch(of: /^`(\w+\.\w+)`/)?.1 else { continue }
            var names = Set(cells[4].matches(of: /`([\w.]+)`/).map { String($0.1) })
            if cells[4].hasPrefix("the same") { names.formUnion(last) }
            if let other = cells[4].firstMatch(of: /^as `([\w.]+)`/)?.1 {
                names.formUnion(try #require(rows[String(other)], "\(type)"))
                names.remove(String(other))
            }
            rows[String(type)] = names
            last = names
        }
        let examples = try Self.examples()
        #expect(Set(rows.keys) == Set(examples.keys))
        for (type, example) in examples {
            let names = try #require(rows[type])
            #expect(
                Set(example.keys).isSubset(of: names), "\(type) lacks \(Set(example.keys).subtracting(names))"
            )
            let start = try #require(definitions.range(of: "    \"\(type)\": {")).upperBound
            let end = try #require(definitions.range(of: "\n    }", range: start..<definitions.endIndex))
                .lowerBound
            let known = definitions[start..<end]
            for name in names where name != "true" {
                #expect(known.contains("\"\(name)\""), "\(type): nothing sends \(name)")
            }
        }
    }
}
