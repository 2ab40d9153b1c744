import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Rollout

/// Goals with values, from `POST /v1/goals` to the results.
@Suite(.inTurns) struct MeanGoalTests {
    private typealias Stage = ExperimentRoutesTests.Stage

    private static let fields = """
        goal: spent
            measures: {spent: mean}
            guardrails:
              refunded: {margin: 0.05, worse: higher}
        """

    private static func run(_ test: @Sendable (Stage) async throws -> Void) async throws {
        try await ExperimentRoutesTests.run { stage in
            try await stage.apply(replacing: "goal: bought", with: fields)
            try await test(stage)
        }
    }

    private static func tell(_ stage: Stage, _ unit: String, _ value: Int?, _ id: String?) async throws
        -> TestApp.Answer
    {
        try await stage.app.post(
            "/v1/goals", as: nil, headers: stage.server,
            ["unit": unit, "goal": "spent", "value": value, "id": id])
    }

    @Test func `values of a unit add up, each id once, and the mean is of all units`() async throws {
        try await Self.run { stage in
            let units = try ExperimentRoutesTests.units(4, in: "control")
            for unit in units { #expect(try await stage.expose(unit, "control").status == 204) }
            for _ in 0..<3 {
                for (unit, value, id) in [
                    (units[0], 1250, "order-1"), (units[0], 750, "order-2"), (units[1], 400, "order-1"),
                    (units[2], nil, "order-3"), (units[2], nil, nil), ("stranger", 9, "order-4"),
                ] {
                    #expect(try await Self.tell(stage, unit, value, id).status == 204)
                }
            }
            // Another value for the same id changes nothing.
            #expect(try await Self.tell(stage, units[0], 99, "order-1").status == 204)
            let results = try await stage.results()
            // 2,000, 400 and twice 1, of four.
            let spent = "variations.0.goals.1"
            #expect(results["\(spent).goal"] == "spent" && results["\(spent).units"] == "3")
            #expect(results["\(spent).mean"] == "600.5", "\(results.text)")
            #expect(results["\(spent).rate"] == "0.75")
            #expect(results["days.0.variations.0.soFar.mean"] == "600.5")
            #expect(results["days.0.variations.0.reached"] == "3")
            try await stage.app.verify()
        }
    }

    @Test func `the same value told many times at once counts once`() async throws {
        try await Self.run { stage in
            let unit = try ExperimentRoutesTests.units(1, in: "control")[0]
            #expect(try await stage.expose(unit, "control").status == 204)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<60 {
                    group.addTask {
                        let told = try await Self.tell(stage, unit, 100 * (number % 5), "\(number % 5)")
                        #expect(told.status == 204)
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await stage.results()["variations.0.goals.1.mean"] == "1000")
        }
    }

    @Test(arguments: [
        (#""value":-1,"id":"1""#, "value"), (#""value":1000000001,"id":"1""#, "value"),
        (#""value":1.5,"id":"1""#, "value"), (#""value":1e99,"id":"1""#, "value"),
        (#""value":"5","id":"1""#, "value"), (#""value":5"#, "id"), (#""value":5,"id":"""#, "id"),
        (#""id":"a\u0000""#, "id"), (#""id":7"#, "id"),
    ])
    func `a value that cannot be, or could count twice, is refused`(part: String, field: String) async throws
    {
        try await Self.run { stage in
            let answer = try await stage.app.post(
                "/v1/goals", as: nil, headers: stage.server,
                Body(stringLiteral: #"{"unit":"u","goal":"spent",\#(part)}"#))
            #expect(answer.status == 400 && answer["field"] == field, "\(answer.text)")
        }
    }

    /// Exposes 80 units of both variations on one day, of whom 19 spent 1,000,000,000 in two parts, and 9 of
    /// these were refunded.
    private static func count(_ stage: Stage, daysAgo: Int) async throws {
        for variation in ["control", "loud"] {
            let mark = "\(variation) \(daysAgo) "
            try await stage.app.db.write.batch([
                """
                INSERT INTO exposures (unit, experiment, phase, variation, exposed_at, crossed_at)
                SELECT user_id(\(mark) || n), 'exp', 1, \(variation), now() - \(Double(daysAgo)) * interval '1 day',
                       CASE WHEN n = 0 THEN now() END
                FROM generate_series(0, 80) n
                """,
                """
                INSERT INTO conversions (unit, experiment, phase, goal, id, value, reached_at)
                SELECT user_id(\(mark) || n), 'exp', 1, goal, id, value, now() - \(Double(daysAgo)) * interval '1 day'
                FROM generate_series(0, 19) n
                CROSS JOIN (VALUES ('spent', '1', 999999999), ('spent', '2', 1), ('refunded', '', 1)) AS t (goal, id, value)
                WHERE goal = 'spent' OR n < 10
                """,
            ])
        }
    }

    @Test func `sums of old days go on as their rows did, also of the largest values`() async throws {
        try await Self.run { stage in
            for daysAgo in [60, 45, 3] { try await Self.count(stage, daysAgo: daysAgo) }
            let before = try await stage.results()
            // 57 of 240 spent; the one of each day who saw both variations counts for none.
            #expect(before["variations.1.goals.1.mean"] == "237500000", "\(before.text)")
            #expect(before["variations.1.goals.1.difference"] == "0")
            #expect(before["variations.1.goals.1.chanceToBeat"] == "0.5")
            #expect(before["variations.1.goals.0.guardrail.margin"] == "0.05")
            #expect(before["variations.1.goals.0.guardrail.state"] == "unknown_yet")
            #expect(before["variations.1.goals.0.guardrail.worse"] == "higher")
            #expect(before["verdict"] == "undecided" && before["crossed"] == "6")
            let store = ExperimentStore(db: stage.app.db)
            try await store.forgetOld()
            try await stage.app.db.write.run(
                "DELETE FROM exposures WHERE exposed_at < now() - interval '40 days'")
            #expect(try await stage.results().text == before.text)
            try await stage.app.verify()
        }
    }

    @Test func `a variation that sells more and breaks a guardrail is not named`() async throws {
        try await Self.run { stage in
            try await Self.count(stage, daysAgo: 1)
            try await stage.app.db.write.run(
                """
                INSERT INTO conversions (unit, experiment, phase, goal, id, value, reached_at)
                SELECT user_id('loud 1 ' || n), 'exp', 1, goal, 'more', 1000000000, now()
                FROM generate_series(1, 79) n CROSS JOIN (VALUES ('spent'), ('refunded')) AS t (goal)
                """)
            let results = try await stage.results()
            #expect(results["verdict"] == "guardrail_broken" && results["best"] == nil, "\(results.text)")
            #expect(results["variations.1.goals.0.guardrail.state"] == "broken")
        }
    }

    @Test func `a winner that breaks a guardrail must be forced`() async throws {
        try await Self.run { stage in
            try await Self.count(stage, daysAgo: 1)
            func publish(_ fields: String, force: String = "") async throws -> TestApp.Answer {
                var headers = stage.admin
                let revision = try await stage.app.get("/v1/admin/config", headers: headers)["revision"] ?? ""
                headers[.ifMatch] = "\"\(revision)\""
                return try await stage.app.post(
                    "/v1/admin/config", as: nil, headers: headers,
                    Body(
                        stringLiteral: """
                            {"changes":{"experiments":{"exp":{"goal":"spent","measures.spent":"mean","guardrails.refunded.margin":"0.05",
                            "guardrails.refunded.worse":"higher","variations.control.weight":"50","variations.loud.weight":"50",
                            "variations.loud.values.greeting":"HELLO"\(fields)}}},"reason":"it wins","force":[\(force)]}
                            """))
            }
            try await stage.app.db.write.run(
                """
                INSERT INTO conversions (unit, experiment, phase, goal, id, value, reached_at)
                SELECT user_id('loud 1 ' || n), 'exp', 1, 'refunded', 'more', 1, now() FROM generate_series(1, 79) n
                """)
            let refused = try await publish(#","winner":"loud""#)
            #expect(refused.status == 409, "\(refused.text)")
            #expect(
                refused.text.contains("its winner breaks its guardrail refunded"), "\(refused.text)")
            let control = try await publish(#","winner":"control""#)
            #expect(control.status == 201, "the control breaks none: \(control.text)")
            let forced = try await publish(#","winner":"loud""#, force: #""experiments.exp""#)
            #expect(forced.status == 201, "\(forced.text)")
        }
    }

    @Test func `of a unit a thousand ids of a goal count, and further ones nothing`() async throws {
        try await Self.run { stage in
            let units = try ExperimentRoutesTests.units(2, in: "control")
            for unit in units { #expect(try await stage.expose(unit, "control").status == 204) }
            try await stage.app.db.write.run(
                """
                INSERT INTO conversions (unit, experiment, phase, goal, id, value, reached_at)
                SELECT user_id(\(units[0])), 'exp', 1, 'spent', 'old ' || n, 1, now() FROM generate_series(1, 998) n
                """)
            for id in 0..<5 { #expect(try await Self.tell(stage, units[0], 1000, "\(id)").status == 204) }
            // Neither those of other units nor of other goals.
            #expect(try await Self.tell(stage, units[1], 50, "1").status == 204)
            #expect(try await stage.reach(units[0], "refunded").status == 204)
            let results = try await stage.results()
            #expect(
                results["variations.0.goals.1.mean"] == "1524", "998 and twice 1,000, and 50: \(results.text)"
            )
            #expect(results["variations.0.goals.0.units"] == "1")
        }
    }

    @Test func `what a user spent is in their export`() async throws {
        try await Self.run { stage in
            try await stage.app.signUp("ann")
            let variation = try #require(try await stage.variation("u-ann"))
            #expect(try await stage.expose("u-ann", variation).status == 204)
            for id in ["1", "2"] { #expect(try await Self.tell(stage, "u-ann", 600, id).status == 204) }
            let export = try await stage.app.get("/v1/me/export", as: "u-ann")
            #expect(export["experiments.0.goals.0.goal"] == "spent", "\(export.text)")
            #expect(export["experiments.0.goals.0.value"] == "1200")
        }
    }
}
