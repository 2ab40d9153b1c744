import Foundation
import Hummingbird
import TestSupport
import Testing

@testable import Kith

/// The table of routes in `App.swift` and `openapi.yaml`, with `docs/links.yaml`, agree.
@Suite(.inTurns) struct RouteTableTests {
    /// `METHOD /path` of each operation.
    private static func documented() throws -> Set<String> {
        var (path, operations) = ("", Set<String>())
        let documents = try RepositoryFile.read("openapi.yaml") + RepositoryFile.read("docs/links.yaml")
        for line in documents.split(separator: "\n") {
            if let found = line.wholeMatch(of: /\ {2}(\/.*):/) {
                path = String(found.1)
            } else if let found = line.wholeMatch(of: /\ {4}(get|put|post|patch|delete):/) {
                operations.insert("\(found.1.uppercased()) \(path)")
            }
        }
        return operations
    }

    @Test func `every route is documented, and nothing else is`() async throws {
        try await TestApp.run { app in
            let routes = app.app.router().routes.map { "\($0.method) \($0.path)" }
            let served = Set(routes.filter { !$0.hasPrefix("HEAD ") })
            let documented = try Self.documented()
            #expect(served.subtracting(documented) == [], "not documented")
            #expect(documented.subtracting(served) == [], "not served")
        }
    }
}
