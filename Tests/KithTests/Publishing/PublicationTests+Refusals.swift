import HTTPTypes
import Testing

@testable import AppTesting
@testable import Kernel

extension PublicationTests {
    /// A body, and the field that its answer names.
    static let wrong: [(Body, String?)] = [
        ("{}", "changes"), ("[]", nil), ("{\"reason\":\"x\"}", "changes"),
        ("{\"reason\":\"x\",\"changes\":[]}", "changes"),
        ("{\"reason\":\"a\\u0007b\",\"changes\":{\"values\":{\"a\":\"1\"}}}", "reason"),
        ("{\"reason\":\"\",\"changes\":{\"values\":{\"a\":\"1\"}}}", "reason"),
        ("{\"reason\":1,\"changes\":{\"values\":{\"a\":\"1\"}}}", "reason"),
        ("{\"reason\":\"x\",\"changes\":{}}", "changes"),
        ("{\"changes\":{\"values\":{\"a\":\"1\"}}}", "reason"),
        ("{\"dryRun\":false,\"changes\":{\"values\":{\"a\":\"1\"}}}", "reason"),
        ("{\"reason\":\"\",\"dryRun\":true,\"changes\":{\"values\":{\"a\":\"1\"}}}", "reason"),
        ("{\"reason\":\"x\",\"changes\":{\"future\":{}}}", "changes.future"),
        ("{\"reason\":\"x\",\"changes\":{\"values\":1}}", "changes.values"),
        ("{\"reason\":\"x\",\"changes\":{\"values\":{\"none\":null}}}", "changes.values.none"),
        ("{\"reason\":\"x\",\"changes\":{\"values\":{\"a b\":\"1\"}}}", "changes.values.a"),
        ("{\"reason\":\"x\",\"changes\":{\"values\":{\"a\":\"1\",\"a\":\"2\"}}}", "a"),
        ("{\"reason\":\"x\",\"changes\":{\"values\":{\"a\":{\"b\":{\"c\":[[1]]}}}}}", "changes.values.a.b.c"),
        ("{\"reason\":\"x\",\"changes\":{\"values\":{\"a\":\"1\"}},\"force\":\"a\"}", "force"),
        ("{\"reason\":\"x\",\"changes\":{\"values\":{\"a\":\"1\"}},\"force\":[\"a\"]}", "force"),
        ("{\"reason\":\"x\",\"changes\":{\"values\":{\"a\":\"1\"}},\"dryRun\":\"no\"}", "dryRun"),
        ("{\"reason\":\"x\",\"changes\":{\"values\":{\"a\":\"1\"}},\"by\":\"me\"}", "by"),
        (
            "{\"reason\":\"x\",\"changes\":{\"apps\":{\"a\":{\"hosts\":[\"https://a.example\"],\"icon\":\"/etc/passwd\"}}}}",
            "changes.apps.a.icon"
        ),
    ]

    @Test func `wrong changes are refused with the field, and change nothing`() async throws {
        try await TestApp.run { app in
            let ann = try await Operator(app)
            for (body, field) in Self.wrong {
                let answer = try await ann.post(over: 0, body)
                #expect(answer.status == 400 && answer["field"] == field, "\(body) \(answer.text)")
            }
            let body: Body = ["reason": "x", "changes": ["values": ["a": "1"] as Body] as Body]
            let blind = try await app.post("/v1/admin/config", as: nil, headers: ann.key, body)
            #expect(blind.status == 428 && blind["code"] == "revision_needed")
            for tag in ["1", "*", "\"\"", "W/\"1\"", "\"-1\"", "\"99999999999999999999\""] {
                var headers = ann.key
                headers[.ifMatch] = tag
                let answer = try await app.post("/v1/admin/config", as: nil, headers: headers, body)
                #expect(answer.status == 400 && answer["field"] == "If-Match", "\(tag)")
            }
            #expect(try await ann.post(over: 7, body).status == 409)
            for path in ["?revision=x", "?revision=-1", "?at=x", "?revision=1&at=2026-01-01T00:00:00Z"] {
                #expect(try await ann.get(path).status == 400, "\(path)")
            }
            #expect(try await ann.get("/difference").status == 400)
            #expect(try await ann.get("/publications/x").status == 400)
            for path in ["/items/values/none", "/items/future/x", "/publications/0", "/publications/1"] {
                #expect(try await ann.get(path).status == 404, "\(path)")
            }
            #expect(try await ann.revision() == "\"0\"")
        }
    }

    @Test func `a dry run needs no reason, of changes, a revert or a draft`() async throws {
        try await TestApp.run { app in
            let ann = try await Operator(app)
            let said = try await ann.post(
                over: 0, "{\"changes\":{\"values\":{\"a\":\"1\"}},\"dryRun\":true}")
            #expect(said.status == 200 && said["lines.0"] == "+ values.a.value: 1", "\(said.text)")
            #expect(try await ann.publish(over: 0, ["a": "1"]).status == 201)
            for path in ["1/revert", "0/restore"] {
                let dry = try await ann.post("/publications/\(path)", over: 1, "{\"dryRun\":true}")
                #expect(dry.status == 200 && dry["lines.0"] == "- values.a.value: 1", "\(dry.text)")
                let wet = try await ann.post("/publications/\(path)", over: 1, "{}")
                #expect((wet.status, wet["field"]) == (400, "reason"), "\(wet.text)")
            }
            var headers = ann.key
            headers[.ifMatch] = "\"0\""
            let draft = "/v1/admin/config/drafts/d"
            let kept = try await app.call(
                .put, draft, headers: headers, body: "{\"changes\":{\"values\":{\"a\":\"2\"}}}")
            let version = try #require(kept["draft.version"], "\(kept.text)")
            let dry = try await ann.post(
                "/drafts/d/publication", over: 1, "{\"version\":\(version),\"dryRun\":true}" as Body)
            #expect(dry.status == 200 && dry["lines.0"] == "~ values.a.value: 1 → 2", "\(dry.text)")
            #expect(try await ann.revision() == "\"1\"")
        }
    }

    @Test func `only operators see and change what is set`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            for headers in [try await app.keyed(.server), try await app.keyed(.client)] {
                #expect(try await app.get("/v1/admin/config", headers: headers).status == 403)
                #expect(try await app.post("/v1/admin/config", as: nil, headers: headers).status == 403)
            }
            #expect(try await app.get("/v1/admin/config", as: "u-ann").status == 403)
            var growth = try await app.keyed(.growth)
            growth[.ifMatch] = "\"0\""
            let value: Body = "{\"changes\":{\"values\":{\"a\":\"1\"}},\"reason\":\"x\"}"
            let hosts: Body =
                "{\"changes\":{\"apps\":{\"a\":{\"hosts\":[\"https://a.example\"]}}},\"reason\":\"x\"}"
            for dry in [
                hosts, Body(stringLiteral: hosts.json.replacing("\"x\"}", with: "\"x\",\"dryRun\":true}")),
            ] {
                let refused = try await app.post("/v1/admin/config", as: nil, headers: growth, dry)
                #expect(refused.status == 403 && refused["field"] == "changes.apps", "\(refused.text)")
            }
            #expect(try await app.post("/v1/admin/config", as: nil, headers: growth, value).status == 201)
        }
    }
}
