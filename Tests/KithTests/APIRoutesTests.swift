import HTTPTypes
import TestSupport
import Testing

@testable import AppTesting
@testable import Kith

/// What calls of `/v1` take, besides their bodies' fields.
@Suite(.inTurns) struct APIRoutesTests {
    private func run(
        _ test:
            @Sendable (TestApp, BadInputTests.Sender, BadInputTests.Call, DocumentedCall) async throws -> Void
    ) async throws {
        let operations = try DocumentedCall.all(in: "openapi.yaml").filter { $0.name.contains(" /v1/") }
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
                        BadInputTests.pattern("\($0.method) \($0.path)") == operation.name
                    }, "\(operation.name)")
                try await test(app, sender, call, operation)
                #expect(try await BadInputTests().contents(app) == before, "\(operation.name) did something")
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
            #expect(answer.status == 400, "\(operation.name)")
            #expect(answer["field"] == "zzzzzzzz", "\(operation.name)")
            #expect(
                answer["detail"]
                    == "`zzzzzzzz` is not a parameter of this call, which has \(known.isEmpty ? "none" : known).",
                "\(operation.name)")
        }
    }

    @Test func `a call without a body in openapi.yaml refuses one with fields, and does nothing`()
        async throws
    {
        try await run { _, sender, call, operation in
            guard !operation.hasBody else { return }
            let answer = try await sender.send(
                call.method, call.path, body: Array(#"{"nickname":"x"}"#.utf8))
            #expect((answer.status, answer["field"]) == (400, "nickname"), "\(operation.name)")
            let form = try await sender.send(
                call.method, call.path, body: Array("nickname=x".utf8),
                type: "application/x-www-form-urlencoded")
            #expect(form.status == 415, "\(operation.name)")
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
