import Foundation
import Hummingbird
import TestSupport
import Testing

@testable import Kith

/// The table of routes in `App.swift` and `openapi.yaml`, with `docs/links.yaml` and `docs/firebase.yaml`, agree.
@Suite(.inTurns) struct RouteTableTests {
    /// `METHOD /path` of each operation.
    private static func documented() throws -> Set<String> {
        var (path, operations) = ("", Set<String>())
        let documents = try ["openapi.yaml", "docs/links.yaml", "docs/firebase.yaml"].map(RepositoryFile.read)
            .joined()
        for line in documents.split(separator: "\n") {
            if let found = line.wholeMatch(of: /\ {2}(\/.*):/) {
                path = String(found.1)
            } else if let found = line.wholeMatch(of: /\ {4}(get|put|post|patch|delete):/) {
                operations.insert("\(found.1.uppercased()) \(path)")
            }
        }
        return operations
    }

    /// What OpenAPI cannot say of one route: its path may have any number of segments.
    private static let pages = ["", "/qr.svg", "/qr.png"].map { "GET /links/{code}+\($0)" }

    @Test func `every route is documented, and nothing else is`() async throws {
        try await TestApp.run { app in
            let routes = app.app.router().routes.map { "\($0.method) \($0.path)" }
            let served = Set(
                routes.filter { !$0.hasPrefix("HEAD ") }
                    .flatMap { $0 == "GET /links/**" ? Self.pages : [$0] })
            let documented = try Self.documented()
            #expect(served.subtracting(documented) == [], "not documented")
            #expect(documented.subtracting(served) == [], "not served")
        }
    }
}
