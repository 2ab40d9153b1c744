import HTTPTypes
import TestSupport
import Testing

@testable import Kith

/// What calls of `/v1` take, besides their bodies' fields.
@Suite(.inTurns) struct APIRoutesTests {
    /// An operation of openapi.yaml.
    private struct Operation {
        let call: String
        var query: Set<String> = []
        var hasBody = false
    }

    private static func documented() throws -> [Operation] {
        let lines = try RepositoryFile.read("openapi.yaml").split(separator: "\n").map(String.init)
        let end = lines.firstIndex(of: "components:") ?? 0
        let shared = shared(lines[end...])
        var (operations, path) = ([Operation](), "")
        for (line, next) in zip(lines[..<end], lines.dropFirst()) {
            if let found = line.wholeMatch(of: /\ {2}(\/.*):/) { path = String(found.1) }
            if let found = line.wholeMatch(of: /\ {4}(get|put|post|patch|delete):/) {
                operations.append(Operation(call: "\(found.1.uppercased()) \(path)"))
            }
            guard let last = operations.indices.last else { continue }
            if line == "      requestBody:" { operations[last].hasBody = true }
            if let found = line.wholeMatch(of: /\ +- \$ref: '#\/components\/parameters\/(.+)'/),
                let name = shared[String(found.1)]
            {
                operations[last].query.insert(name)
            }
            if let found = line.wholeMatch(of: /\ +- name: (.+)/), next.contains("in: query") {
                operations[last].query.insert(String(found.1))
            }
            if let found = line.firstMatch(of: /- { name: ([A-Za-z]+), in: query/) {
                operations[last].query.insert(String(found.1))
            }
        }
        return operations.filter { $0.call.contains(" /v1/") }
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

    private func run(
        _ test: @Sendable (TestApp, BadInputTests.Sender, BadInputTests.Call, Operation) async throws -> Void
    ) async throws {
        let operations = try Self.documented()
        #expect(operations.count > 90)
        try await TestApp.run(configure: {
            TestApp.withLinks(&$0)
            PurchaseStage.withAppStore(&$0)
        }) { app in
            for name in ["ann", "bob"] { try await app.signUp(name) }
            let (sender, before) = (
                try await BadInputTests.Sender(app), try await BadInputTests().contents(app)
            )
            for operation in operations {
                let call = try #require(
                    BadInputTests.calls.first {
                        BadInputTests.pattern("\($0.method) \($0.path)") == operation.call
                    }, "\(operation.call)")
                try await test(app, sender, call, operation)
                #expect(try await BadInputTests().contents(app) == before, "\(operation.call) did something")
            }
        }
    }

    @Test func `each call takes the parameters of openapi.yaml, and with another one it does nothing`()
        async throws
    {
        try await run { _, sender, call, operation in
            let answer = try await sender.send(
                call.method, "\(call.path)?zzzzzzzz=1", body: call.body.map { Array($0.json.utf8) })
            let known = operation.query.sorted().map { "`\($0)`" }.joined(separator: ", ")
            #expect(answer.status == 400, "\(operation.call)")
            #expect(answer["field"] == "zzzzzzzz", "\(operation.call)")
            #expect(
                answer["detail"]
                    == "`zzzzzzzz` is not a parameter of this call, which has \(known.isEmpty ? "none" : known).",
                "\(operation.call)")
        }
    }

    @Test func `a call without a body in openapi.yaml refuses one with fields, and does nothing`()
        async throws
    {
        try await run { _, sender, call, operation in
            guard !operation.hasBody else { return }
            let answer = try await sender.send(
                call.method, call.path, body: Array(#"{"nickname":"x"}"#.utf8))
            #expect((answer.status, answer["field"]) == (400, "nickname"), "\(operation.call)")
            let form = try await sender.send(
                call.method, call.path, body: Array("nickname=x".utf8),
                type: "application/x-www-form-urlencoded")
            #expect(form.status == 415, "\(operation.call)")
        }
    }

    @Test func `an empty body or object is as good as none`() async throws {
        try await TestApp.run { app in
            for name in ["ann", "bob"] { try await app.signUp(name) }
            let sender = try await BadInputTests.Sender(app)
            for body in ["", "{}", " { } "] {
                let type = body.isEmpty ? nil : "application/json"
                let put = try await sender.send(.put, "/v1/friends/u-bob", body: Array(body.utf8), type: type)
                #expect(put["relationship"] == "outgoing", "\(put.text)")
                #expect(
                    try await sender.send(.get, "/v1/me", body: Array(body.utf8), type: type).status == 200)
            }
        }
    }

    @Test func `a visitor's link goes on with whatever it has`() async throws {
        try await TestApp.run(configure: TestApp.withLinks) { app in
            try await app.signUp("ann")
            try await app.rename("u-ann", to: "anna")
            let page = try await app.get("/users/ann?invitedBy=u-ann&limt=1&fbclid=x&utm_source=y")
            #expect(page.status == 302)
            #expect(page.headers[.location]?.hasSuffix("&limt=1&fbclid=x&utm_source=y") == true)
            let key = try await app.keyed()
            let made = try await app.post(
                "/fdl/v1/shortLinks?key=x&alt=json&fields=shortLink&prettyPrint=false&quotaUser=q&%24.xgafv=2&zzz=1",
                as: nil, headers: key, ["longDynamicLink": TestApp.long(["link": TestApp.party])])
            #expect(made.status == 200, "\(made.text)")
        }
    }

    @Test(arguments: [
        "//v1/me", "/v1//me", "///v1/me", "/v1/me//", "//v1//admin//audit", "/v1/admin//audit", "//links//a+",
        "/links//a+", "//hooks/appstore", "/hooks//appstore", "//fdl/v1/x/linkStats",
    ])
    func `a path with an empty segment is none of the API's, so that it passes no rule of a proxy`(
        path: String
    )
        async throws
    {
        try await TestApp.run(configure: TestApp.withLinks) { app in
            let (key, token) = (try await app.keyed(), try await app.signUp("ann"))
            #expect(try await app.get(path, headers: key).status == 404)
            #expect(try await app.get(path, as: token).status == 404)
        }
    }

    @Test(arguments: [
        ("prod.test", "prod.test"), ("prod.test.", "prod.test"), ("PROD.test.:8080", "prod.test:8080"),
        ("prod.test:443", "prod.test"), ("prod.test.:443", "prod.test"), ("prod.test.:80", "prod.test"),
        ("prod.test:8443", "prod.test:8443"), ("[::1]:8080", "[::1]:8080"), ("[::1]", "[::1]"), ("", ""),
        (":443", ""),
        ("123", "123"), ("a.123", "a.123"),
    ])
    func `a host is looked up without its last dot and the usual ports`(host: String, name: String) {
        #expect(HostResponder.name(ofHost: host) == name)
    }
}
