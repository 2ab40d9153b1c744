import HTTPTypes
import Hummingbird
import TestSupport
import Testing

@testable import Kernel
@testable import Kith
@testable import Web

/// The table of routes and `openapi.yaml`, with `docs/links.yaml` and `docs/firebase.yaml`, agree.
struct RouteTableTests {
    /// Those of each server; `kith dev` has a page more.
    private static func routes() throws -> [RouteRules] {
        try App.blank.get().routes.map(\.rules).filter { $0.path != "/dev/devices" }
    }

    /// What OpenAPI cannot say of one route: its path may have any number of segments.
    private static let pages = ["", "/qr.svg", "/qr.png"].map { "GET /links/{code}+\($0)" }

    @Test func `every route is documented, and nothing else is`() throws {
        let served = try Set(
            Self.routes().map { "\($0.method) \($0.path)" }.flatMap {
                $0 == "GET /links/**" ? Self.pages : [$0]
            }
        )
        let documents = ["openapi.yaml", "docs/links.yaml", "docs/firebase.yaml"]
        let documented = try Set(documents.flatMap(DocumentedCall.all).map(\.name))
        #expect(served.subtracting(documented) == [], "not documented")
        #expect(documented.subtracting(served) == [], "not served")
    }

    @Test func `each call takes the parameters and the body of openapi.yaml`() throws {
        let documented = try DocumentedCall.all(in: "openapi.yaml").map { ($0.name, $0) }
        let calls = Dictionary(uniqueKeysWithValues: documented)
        let strict = try Self.routes().filter { $0.query != nil }
        #expect(strict.count > 90)
        for route in strict {
            let name = "\(route.method) \(route.path)"
            let call = try #require(calls[name], "\(name)")
            #expect(Set(route.query ?? []) == call.query, "\(name)")
            #expect(route.hasBody == call.hasBody, "\(name)")
        }
    }

    @Test func `the router has the routes of the table, each once`() throws {
        let app = try App.blank.get()
        let calls = app.routes.map { "\($0.rules.method) \($0.rules.path)" }
        #expect(app.router().routes.map { "\($0.method) \($0.path)" }.sorted() == calls.sorted())
    }

    @Test func `the form of errors goes by the path, whatever answers there`() throws {
        let table = RouteTable(try Self.routes())
        for (path, form) in [
            ("/v1/me", .problem), ("/v1/nothing", .problem), ("//v1/me", .problem), ("/v1", .problem),
            ("/hooks/x", .problem), ("/fdl/v1/x", .firebase), ("/users/ann", .page), ("/v1x", .page),
            ("/", .page), ("/links/c+", .page),
        ] as [(String, ErrorForm)] {
            let head = HTTPRequest(method: .get, scheme: "https", authority: "x", path: path)
            #expect(
                table.form(of: Request(head: head, body: RequestBody(buffer: .init()))) == form, "\(path)")
        }
    }
}
