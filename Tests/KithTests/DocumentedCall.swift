import Foundation

@testable import AppTesting

/// A call that a document of OpenAPI describes.
struct DocumentedCall {
    /// As `GET /v1/me`.
    let name: String
    var query: Set<String> = []
    var hasBody = false

    static func all(in document: String) throws -> [DocumentedCall] {
        let lines = try RepositoryFile.read(document).split(separator: "\n").map(String.init)
        let end = lines.firstIndex(of: "components:") ?? lines.endIndex
        let shared = shared(lines[end...])
        var (calls, path) = ([DocumentedCall](), "")
        for (line, next) in zip(lines[..<end], lines.dropFirst() + [""]) {
            if let found = line.wholeMatch(of: /\ {2}(\/.*):/) { path = String(found.1) }
            if let found = line.wholeMatch(of: /\ {4}(get|put|post|patch|delete):/) {
                calls.append(DocumentedCall(name: "\(found.1.uppercased()) \(path)"))
            }
            guard let last = calls.indices.last else { continue }
            if line == "      requestBody:" { calls[last].hasBody = true }
            if let found = line.wholeMatch(of: /\ +- \$ref: '#\/components\/parameters\/(.+)'/),
                let name = shared[String(found.1)]
            {
                calls[last].query.insert(name)
            }
            if let found = line.wholeMatch(of: /\ +- name: (.+)/), next.contains("in: query") {
                calls[last].query.insert(String(found.1))
            }
            if let found = line.firstMatch(of: /- { name: ([A-Za-z_]+), in: query/) {
                calls[last].query.insert(String(found.1))
            }
        }
        return calls
    }

    /// The parameters of queries among the components: their names by the names of the components.
    private static func shared(_ lines: ArraySlice<String>) -> [String: String] {
        var (shared, name) = ([String: String](), "")
        let begin = lines.firstIndex(of: "  parameters:") ?? lines.endIndex
        for (line, next) in zip(lines[begin...], lines[begin...].dropFirst()) {
            if line.wholeMatch(of: /\ {2}responses:/) != nil { break }
            if let found = line.wholeMatch(of: /\ {4}([A-Za-z]+):/) { name = String(found.1) }
            if let found = line.wholeMatch(of: /\ {6}name: (.+)/), next == "      in: query" {
                shared[name] = String(found.1)
            }
        }
        return shared
    }
}
