import Foundation
import HTTPTypes
import Postgres
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Rollout

/// What was published comes back: whole, in parts, and an experiment with its phase.
extension PublicationTests {
    private static func experiment(_ fields: String = "", more: String = "") -> String {
        #""experiments":{"loud":{"goal":"bought"\#(fields),"variations":{"control":{"weight":"50"},"b":{"weight":"50","values":{"greeting":"HELLO"}}}}}\#(more)"#
    }

    private static func body(_ changes: String, force: [String] = []) -> Body {
        "{\"changes\":{\(changes)},\"reason\":\"x\",\"force\":\(force.json)}"
    }

    @Test func `an experiment that was removed by mistake goes on with its phase, and another one does not`()
        async throws
    {
        try await TestApp.run { app in
            let ann = try await Operator(app)
            #expect(try await ann.post(over: 0, Self.body(Self.experiment())).status == 201)
            try await app.db.write.run(
                "INSERT INTO exposures (unit, experiment, phase, variation) VALUES (gen_random_uuid(), 'loud', 1, 'b')"
            )
            let removal = Self.body(#""experiments":{"loud":null}"#, force: ["experiments.loud"])
            #expect(try await ann.post(over: 1, removal).status == 201)
            for other in [#","seed":"other""#, #","coverage":"50""#, #","when":{"platform":"android"}"#] {
                let refused = try await ann.post(over: 2, Self.body(Self.experiment(other)))
                #expect(
                    refused.status == 400 && refused.text.contains("another definition: set phase: 2"),
                    "\(refused.text)")
            }
            let reverted = try await ann.post("/publications/2/revert", over: 2, ["reason": "x"])
            #expect(reverted.status == 201, "\(reverted.text)")
            let results = try await app.get("/v1/admin/experiments/loud/results", headers: ann.key)
            #expect(results["state"] == "running" && results["variations.1.units"] == "1", "\(results.text)")
        }
    }

    @Test(arguments: [
        // From, to, and whether people or counts would lose something by it.
        (#","winner":"b""#, #","winner":"control""#, true), (#","winner":"b""#, #","state":"running""#, true),
        (#","state":"archived""#, #","state":"running""#, true), (#","state":"stopped""#, "", true),
        (#","winner":"b""#, #","state":"archived""#, true),
        (#","state":"stopped""#, #","state":"archived""#, false),
        (#","winner":"control""#, #","state":"running""#, true),
        (#","state":"draft""#, "", false), (#","winner":"b""#, #","winner":"b","coverage":"50""#, false),
    ])
    func `a step back of an experiment, or the end of its winner, must be forced`(
        before: String, after: String, isDangerous: Bool
    ) async throws {
        try await TestApp.run { app in
            let ann = try await Operator(app)
            #expect(try await ann.post(over: 0, Self.body(Self.experiment(before))).status == 201)
            let answer = try await ann.post(over: 1, Self.body(Self.experiment(after)))
            #expect(answer.status == (isDangerous ? 409 : 201), "\(answer.text)")
            #expect(answer.code == (isDangerous ? "force_needed" : nil))
        }
    }

    @Test func `a winner ends without force once the value says what it gave`() async throws {
        try await TestApp.run { app in
            let ann = try await Operator(app)
            #expect(try await ann.post(over: 0, Self.body(Self.experiment(#","winner":"b""#))).status == 201)
            let end = Self.experiment(#","state":"archived""#, more: #","values":{"greeting":"HELLO"}"#)
            #expect(try await ann.post(over: 1, Self.body(end)).status == 201)
        }
    }

    @Test func `of a state some sections or items come back`() async throws {
        try await TestApp.run { app in
            let ann = try await Operator(app)
            #expect(try await ann.publish(over: 0, ["a": "1", "b": "1"]).status == 201)
            #expect(
                try await ann.post(over: 1, Self.body(Self.experiment(#","state":"draft""#))).status == 201)
            #expect(try await ann.publish(over: 2, ["a": "2", "b": "2"]).status == 201)
            for (only, field) in [
                (#"["what"]"#, "only"), ("[]", "only"), (#""values""#, "only"), ("[1]", "only"),
                (#"["values.c"]"#, "changes.values.c"),
            ] {
                let body: Body = "{\"reason\":\"x\",\"only\":\(only)}"
                let answer = try await ann.post("/publications/1/restore", over: 3, body)
                #expect(answer.status == 400 && answer["field"] == field, "\(answer.text)")
            }
            for (revision, only, lines) in [
                (3, #"["values.a"]"#, ["~ values.a.value: 2 → 1"]),
                (4, #"["values"]"#, ["~ values.b.value: 2 → 1"]),
            ] {
                let body: Body = "{\"reason\":\"x\",\"only\":\(only)}"
                let answer = try await ann.post("/publications/1/restore", over: revision, body)
                #expect(answer.status == 201 && answer.json["lines"] as? [String] == lines, "\(answer.text)")
            }
        }
    }

    @Test func `a phase answers however much was published of its experiment since`() async throws {
        try await TestApp.run { app in
            let ann = try await Operator(app)
            #expect(try await ann.post(over: 0, Self.body(Self.experiment())).status == 201)
            try await app.db.write.run(
                "INSERT INTO exposures (unit, experiment, phase, variation) VALUES (gen_random_uuid(), 'loud', 1, 'b')"
            )
            let second = Self.body(Self.experiment(#","phase":"2""#), force: ["experiments.loud"])
            #expect(try await ann.post(over: 1, second).status == 201)
            // As if its coverage had been changed each minute for hours.
            try await app.db.write.run(
                """
                INSERT INTO publications (number, actor, source, marked_items, items, effects)
                SELECT n, 'key:x', 'call', marked_items, jsonb_set(items, '{0,before,phase}', '"2"'), '[]'
                FROM publications, generate_series(3, 300) n WHERE number = 2
                """)
            let results = try await app.get("/v1/admin/experiments/loud/results?phase=1", headers: ann.key)
            #expect(results.status == 200 && results["variations.1.units"] == "1", "\(results.text)")
        }
    }

    @Test func `a list of publications and of drafts has names alone, and the audit finds an item's`()
        async throws
    {
        try await TestApp.run { app in
            let ann = try await Operator(app)
            for (revision, values) in [["a": "1"], ["a": "2", "b": "1"], ["a": nil]].enumerated() {
                #expect(try await ann.publish(over: revision, values).status == 201)
            }
            let list = try await app.get("/v1/admin/config/publications", headers: ann.key)
            let items = list.objects("publications").map { $0["items"] as? [String] }
            #expect(items == [["-values.a"], ["~values.a", "+values.b"], ["+values.a"]], "\(list.text)")
            let ofItem = try await app.get("/v1/admin/config/publications?item=values.b", headers: ann.key)
            #expect(ofItem.objects("publications").map { $0["number"] as? Int } == [2])
            for (item, count) in [("values.a", 3), ("values.b", 1), ("values.c", 0)] {
                let acts = try await app.get("/v1/admin/audit?item=\(item)", headers: ann.key)
                #expect(acts.objects("acts").count == count, "\(acts.text)")
            }
        }
    }

    @Test func `the texts of a section have 1 MiB at most`() async throws {
        try await TestApp.run { app in
            let ann = try await Operator(app)
            let text = String(repeating: "x", count: 10_000)
            let values = Dictionary(uniqueKeysWithValues: (0..<105).map { ("value\($0)", text as String?) })
            let answer = try await ann.publish(over: 0, values)
            #expect(
                answer.status == 400 && answer.text.contains("values: has more than 1 MiB of texts"),
                "\(answer.text)")
        }
    }

    @Test func `a revert names who changed what since, and what came back to what it was hinders nothing`()
        async throws
    {
        try await TestApp.run { app in
            let ann = try await Operator(app)
            #expect(try await ann.publish(over: 0, ["a": "0", "b": "0"]).status == 201)
            #expect(try await ann.publish(over: 1, ["a": "1", "b": "1"]).status == 201)
            #expect(try await ann.publish(over: 2, ["a": "2"]).status == 201)
            #expect(try await ann.publish(over: 3, ["b": "2"]).status == 201)
            let refused = try await ann.post("/publications/2/revert", over: 4, ["reason": "x"])
            #expect(
                refused.status == 409 && refused.text.contains("Publication 4 changed values.b later"),
                "\(refused.text)")
            // As it was before the publication, and as it made it.
            for (revision, values) in [(4, ["b": "0"]), (5, ["a": "1"])] {
                #expect(try await ann.publish(over: revision, values).status == 201)
            }
            let reverted = try await ann.post("/publications/2/revert", over: 6, ["reason": "x"])
            #expect(reverted.json["lines"] as? [String] == ["~ values.a.value: 1 → 0"], "\(reverted.text)")
        }
    }
}
