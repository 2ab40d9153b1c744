import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith
@testable import Rollout
@testable import Web

/// `/v1/admin/config`: what operators set, its history, and going back.
@Suite(.inTurns) struct PublicationTests {
    /// An operator with a key, who sends the revision that they saw.
    struct Operator {
        let app: TestApp
        let key: HTTPFields

        init(_ app: TestApp) async throws {
            self.app = app
            key = try await app.keyed(.admin)
        }

        func get(_ path: String = "") async throws -> TestApp.Answer {
            try await app.get("/v1/admin/config\(path)", headers: key)
        }

        func post(_ path: String = "", over revision: Int, _ body: Body) async throws -> TestApp.Answer {
            var headers = key
            headers[.ifMatch] = "\"\(revision)\""
            return try await app.post("/v1/admin/config\(path)", as: nil, headers: headers, body)
        }

        /// Publishes values of these texts. Nil removes one.
        func publish(over revision: Int, _ values: [String: String?], dryRun: Bool = false) async throws
            -> TestApp.Answer
        {
            let items = values.sorted { $0.key < $1.key }.map {
                "\"\($0)\":\($1.map { "\"\($0)\"" } ?? "null")"
            }
            return try await post(
                over: revision,
                "{\"changes\":{\"values\":{\(items.joined(separator: ","))}},\"reason\":\"a test\",\"dryRun\":\(dryRun)}"
            )
        }

        func value(_ name: String) async throws -> String? {
            let item = try await get("/items/values/\(name)")
            return item.status == 200 ? item["value"] : nil
        }

        func revision() async throws -> String? { try await get().headers[.eTag] }
    }

    @Test func `a change leaves what it does not name, and the history says who, when, why and what`()
        async throws
    {
        try await TestApp.run { app in
            let ann = try await Operator(app)
            #expect(try await ann.revision() == "\"0\"")
            let first = try await ann.publish(over: 0, ["greeting": "Hello", "color": "red"])
            #expect(first.status == 201 && first.headers[.eTag] == "\"1\"")
            #expect(try await ann.publish(over: 1, ["color": "blue"]).status == 201)
            #expect(try await ann.value("greeting") == "Hello")
            #expect(try await ann.value("color") == "blue")
            #expect(try await ann.publish(over: 2, ["greeting": nil]).status == 201)
            #expect(try await ann.value("greeting") == nil)
            let list = try await ann.get("/publications?limit=2")
            #expect(list["publications.0.number"] == "3" && list["publications.1.number"] == "2")
            #expect(list["next"] == "2")
            #expect(try await ann.get("/publications?before=2")["publications.0.number"] == "1")
            let ofGreeting = try await ann.get("/publications?item=values.greeting")
            #expect(ofGreeting["publications.0.number"] == "3" && ofGreeting["publications.1.number"] == "1")
            #expect(ofGreeting["publications.2.number"] == nil)
            let acts = try await app.get("/v1/admin/audit?act=publish", headers: ann.key)
            #expect(acts["acts.0.details.publication"] == "3" && acts["acts.0.reason"] == "a test")
            #expect(acts["acts.2.details.items"] == "values.color, values.greeting")
            let second = try await ann.get("/publications/2")
            #expect(second["actor"]?.hasPrefix("key:") == true && second["at"] != nil)
            #expect(second["reason"] == "a test" && second["source"] == "call")
            #expect(second["changes.0.item"] == "values.color")
            #expect(second["changes.0.before.value"] == "red" && second["changes.0.after.value"] == "blue")
        }
    }

    @Test func `a dry run says the same as the change, and changes nothing`() async throws {
        try await TestApp.run { app in
            let ann = try await Operator(app)
            let said = try await ann.publish(over: 0, ["greeting": "Hello"], dryRun: true)
            #expect(said.status == 200 && said["lines.0"] == "+ values.greeting.value: Hello")
            #expect(try await ann.revision() == "\"0\"")
            #expect(try await ann.publish(over: 0, ["greeting": "Hello"])["lines.0"] == said["lines.0"])
            let again = try await ann.publish(over: 1, ["greeting": "Hello"])
            #expect(again.status == 200 && again["lines.0"] == nil)
            #expect(try await ann.revision() == "\"1\"", "what changes nothing is not published")
        }
    }

    @Test func `of many who publish at once over one revision one wins, and the others learn who did`()
        async throws
    {
        try await TestApp.run { app in
            let ann = try await Operator(app)
            let answers = try await withThrowingTaskGroup(of: TestApp.Answer.self) { group in
                for number in 0..<12 {
                    group.addTask { try await ann.publish(over: 0, ["v\(number)": "x"]) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.filter { $0.status == 201 }.count == 1)
            for lost in answers where lost.status != 201 {
                #expect(lost.status == 409 && lost["code"] == "changed_meanwhile")
                #expect(lost["detail"]?.contains("1 by key:") == true)
            }
            let state = try await ann.get()
            #expect(state.headers[.eTag] == "\"1\"")
            #expect(state.text.components(separatedBy: "\"value\":").count == 2, "one value was published")
        }
    }

    @Test func `the state as of any revision or time can be seen, and compared`() async throws {
        try await TestApp.run { app in
            let ann = try await Operator(app)
            for (number, color) in ["red", "green", "blue"].enumerated() {
                #expect(try await ann.publish(over: number, ["color": color]).status == 201)
            }
            for (number, color) in ["red", "green", "blue"].enumerated() {
                let state = try await ann.get("?revision=\(number + 1)")
                #expect(state["sections.values.color.value"] == color)
            }
            #expect(try await ann.get("?revision=0")["sections.values.color.value"] == nil)
            let time = try #require(try await ann.get("/publications/2")["at"])
            let then = try await ann.get("?at=\(time)")
            #expect(["green", "red"].contains(then["sections.values.color.value"]))
            #expect(try await ann.get("?revision=4").status == 404)
            let difference = try await ann.get("/difference?from=1&to=3")
            #expect(difference["changes.0.before.value"] == "red")
            #expect(difference["changes.0.after.value"] == "blue" && difference["changes.1.item"] == nil)
        }
    }

    @Test func `a publication is reverted, but not over later changes of its items unless forced`()
        async throws
    {
        try await TestApp.run { app in
            let ann = try await Operator(app)
            for (number, values) in [["a": "1", "b": "1"], ["a": "2"], ["b": "2"], ["a": "3"]].enumerated() {
                #expect(try await ann.publish(over: number, values.mapValues { $0 }).status == 201)
            }
            let refused = try await ann.post("/publications/2/revert", over: 4, ["reason": "wrong"])
            #expect(refused.status == 409 && refused["code"] == "changed_later")
            #expect(refused["detail"]?.contains("Publication 4 changed values.a") == true)
            #expect(try await ann.post("/publications/3/revert", over: 4, ["reason": "wrong"]).status == 201)
            #expect(try await ann.value("b") == "1")
            let forced: Body = ["reason": "wrong", "force": ["values.a"]]
            #expect(try await ann.post("/publications/2/revert", over: 5, forced).status == 201)
            #expect(try await ann.value("a") == "1")
            #expect(try await ann.get("/publications/6")["source"] == "revert")
            #expect(try await ann.post("/publications/99/revert", over: 6, ["reason": "x"]).status == 404)
        }
    }

    @Test func `going back to a revision makes all of it true, and is a publication itself`() async throws {
        try await TestApp.run { app in
            let ann = try await Operator(app)
            for (number, values) in [["a": "1"], ["a": "2", "b": "1"], ["c": "1"]].enumerated() {
                #expect(try await ann.publish(over: number, values.mapValues { $0 }).status == 201)
            }
            #expect(try await ann.post("/publications/1/restore", over: 3, ["reason": "back"]).status == 201)
            #expect(try await ann.value("a") == "1")
            for name in ["b", "c"] { #expect(try await ann.value(name) == nil) }
            #expect(try await ann.post("/publications/3/restore", over: 4, ["reason": "forth"]).status == 201)
            #expect(try await ann.get("/difference?from=3&to=5")["changes.0.item"] == nil)
        }
    }

    @Test func `what people would lose must be forced, item by item`() async throws {
        try await TestApp.run { app in
            let ann = try await Operator(app)
            func publish(_ changes: String, over revision: Int, force: String = "") async throws
                -> TestApp.Answer
            {
                try await ann.post(
                    over: revision, "{\"changes\":\(changes),\"reason\":\"x\",\"force\":[\(force)]}")
            }
            let hard = """
                {"policies":{"min":{"platform":"ios","when":{"version":{"lt":"2"}},"action":"hard","target":"2","minimumOS":"13"}}}
                """
            let refused = try await publish(hard, over: 0)
            #expect(refused["code"] == "force_needed" && refused["field"] == "force", "\(refused.text)")
            #expect(try await ann.revision() == "\"0\"")
            #expect(try await publish(hard, over: 0, force: "\"policies.other\"").status == 409)
            #expect(try await publish(hard, over: 0, force: "\"policies.min\"").status == 201)
            #expect(try await publish("{\"policies\":{\"min\":null}}", over: 1).status == 201)
            let test = """
                {"values":{"button":"Buy"},
                 "experiments":{"shop":{"goal":"bought","variations":{"control":{"weight":"50"},"b":{"weight":"50","values":{"button":"Get"}}}}}}
                """
            let begun = try await publish(test, over: 2)
            #expect(begun.status == 201, "\(begun.text)")
            let removal = "{\"experiments\":{\"shop\":null}}"
            #expect(try await publish(removal, over: 3)["code"] == "force_needed")
            #expect(try await publish(removal, over: 3, force: "\"experiments.shop\"").status == 201)
        }
    }

    @Test func `an experiment that was removed still has its results`() async throws {
        try await TestApp.run { app in
            let ann = try await Operator(app)
            let experiment = """
                {"goal":"bought","variations":{"control":{"weight":"50"},"b":{"weight":"50","values":{"button":"Get"}}}}
                """
            let begun = try await ann.post(
                over: 0,
                "{\"changes\":{\"values\":{\"button\":\"Buy\"},\"experiments\":{\"shop\":\(experiment)}},\"reason\":\"x\"}"
            )
            #expect(begun.status == 201, "\(begun.text)")
            let exposures = try (0..<3).map { number in
                Exposure(
                    unit: try #require(ExperimentUnit("phone \(number)")).id, experiment: "shop", phase: 1,
                    variation: "b")
            }
            try await ExperimentStore(db: app.db).expose(exposures)
            try await app.app.experiments.caches.experiments.follow()
            let results = "/v1/admin/experiments/shop/results"
            let before = try await app.get(results, headers: ann.key)
            #expect(before.status == 200)
            let gone: Body = """
                {"changes":{"experiments":{"shop":null}},"reason":"over","force":["experiments.shop"]}
                """
            #expect(try await ann.post(over: 1, gone).status == 201)
            try await app.app.experiments.caches.experiments.follow()
            let after = try await app.get(results, headers: ann.key)
            #expect(before["variations.1.units"] == "3" && after["variations.1.units"] == "3")
            #expect(before["state"] == "running" && after["state"] == "removed")
            #expect(try await app.get("/v1/admin/experiments/none/results", headers: ann.key).status == 404)
        }
    }

    @Test func `a change of values and experiments says which share of yesterday's apps it would be for`()
        async throws
    {
        try await TestApp.run { app in
            try await app.db.write.run(
                """
                INSERT INTO client_versions (app, day, platform, version, action, count)
                SELECT 'com.example.app', (now() AT TIME ZONE 'UTC')::date - 1, 'ios', v, 'none', n
                FROM (VALUES ('1.9', 100::bigint), ('2.0', 300::bigint)) AS t (v, n)
                """)
            let ann = try await Operator(app)
            let change: Body = """
                {"changes":{"values":{"plain":"x","greeting":{"value":"Hello","rules.new.value":"Hi","rules.new.when.version.gte":"2","rules.new.when.language":"ja"}},
                  "experiments":{"loud":{"goal":"bought","coverage":"50","variations":{"control":{"weight":"50"},"b":{"weight":"50","values":{"button":"Get"}}}}}},
                 "reason":"a test"}
                """
            let published = try await ann.post(over: 0, change)
            #expect(published.status == 201, "\(published.text)")
            #expect(
                published["effects.0"]?.hasSuffix("rule new 75.0 %, no rule 25.0 % (before: none).")
                    == true,
                "\(published.text)")
            // Nobody counts languages.
            #expect(
                published["effects.1"]?.hasPrefix(
                    "Builds, systems, languages, countries and times are not counted: ") == true)
            #expect(
                published["effects.2"]?.hasSuffix(" control 25.0 %, b 25.0 % (before: none).") == true,
                "\(published.text)")
            #expect(published["effects.3"] == nil)
        }
    }

    @Test func `a change of policies says how many of yesterday's calls it would be for`() async throws {
        try await TestApp.run { app in
            try await app.db.write.run(
                """
                INSERT INTO client_versions (app, day, platform, version, action, count)
                SELECT 'com.example.app', (now() AT TIME ZONE 'UTC')::date - 1, 'ios', v, 'none', n
                FROM (VALUES ('1.9', 100::bigint), ('2.0', 300::bigint)) AS t (v, n)
                """)
            let ann = try await Operator(app)
            let change: Body = """
                {"changes":{"policies":{"min":{"platform":"ios","when":{"version":{"lt":"2"}},"action":"soft","target":"2"}}},"reason":"old"}
                """
            let published = try await ann.post(over: 0, change)
            #expect(published.status == 201, "\(published.text)")
            #expect(
                published["effects.0"]?.contains("none 75.0 %, soft 25.0 % (before: none 100.0 %)") == true)
            #expect(
                published["effects.1"]
                    == "ios com.example.app 1.9, 100 calls: soft 100.0 % (before: none 100.0 %).")
            #expect(
                published["answers.calls"] == "400" && published["answers.after.soft"] == "0.25"
                    && published["answers.before.none"] == "1", "\(published.text)")
            #expect(try await ann.get("/publications/1")["effects.1"] == published["effects.1"])
        }
    }
}
