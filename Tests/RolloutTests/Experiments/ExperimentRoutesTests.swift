import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Rollout
@testable import Web

/// `/v1/values`, `/v1/exposures`, `/v1/goals`, and the results.
@Suite(.inTurns) struct ExperimentRoutesTests {
    static let file = """
        values:
          greeting:
            value: Hello
            rules:
              japan: {value: こんにちは, when: {language: [ja]}}
              new: {value: Hello again, priority: 1, when: {version: {gte: "5"}, platform: android}}
          hint:
            rules:
              ios: {value: tap, when: {platform: ios}}
        experiments:
          exp:
            goal: bought
            variations:
              control: {weight: 50}
              loud: {weight: 50, values: {greeting: HELLO}}
        """

    struct Stage {
        let app: TestApp
        let client: HTTPFields
        let server: HTTPFields
        let admin: HTTPFields

        func values(_ unit: String? = nil, _ more: String = "") async throws -> TestApp.Answer {
            let unit = unit.map { "&unit=\(PercentEncoding.encode($0))" } ?? ""
            return try await app.get("/v1/values?platform=ios\(unit)\(more)", headers: client)
        }

        /// The variation of the only experiment; nil if the unit is in none.
        func variation(_ unit: String) async throws -> String? {
            try await values(unit)["experiments.0.variation"]
        }

        func expose(
            _ unit: String, _ variation: String, phase: Int = 1, of experiment: String = "exp"
        ) async throws -> TestApp.Answer {
            try await app.post(
                "/v1/exposures", as: nil, headers: server,
                ["unit": unit, "experiment": experiment, "phase": phase, "variation": variation])
        }

        func reach(_ unit: String, _ goal: String = "bought") async throws -> TestApp.Answer {
            try await app.post("/v1/goals", as: nil, headers: server, ["unit": unit, "goal": goal])
        }

        func results() async throws -> TestApp.Answer {
            try await app.get("/v1/admin/experiments/exp/results", headers: admin)
        }

        func apply(replacing text: String, with other: String) async throws {
            try #require(file.contains(text))
            try await app.apply(file.replacing(text, with: other))
        }
    }

    /// Units whose buckets give them the variation.
    static func units(_ count: Int, in variation: String) throws -> [String] {
        let goal = try #require(Goal("bought"))
        let variations = ["control", "loud"].map {
            Experiment.Variation(name: $0, weight: Bucket.count / 2)
        }
        let experiment = Experiment(key: "exp", variations: variations, goal: goal)
        let found = (0..<200).map { "unit \($0)" }.filter { name in
            ExperimentUnit(name).flatMap { experiment.variation(of: $0) }?.name == variation
        }
        try #require(found.count >= count)
        return Array(found.prefix(count))
    }

    static func run(_ test: @Sendable (Stage) async throws -> Void) async throws {
        try await TestApp.run { app in
            try await app.apply(file)
            try await test(
                Stage(
                    app: app, client: app.keyed(.client), server: app.keyed(.server), admin: app.keyed()))
        }
    }

    @Test func `values follow their conditions`() async throws {
        try await Self.run { stage in
            for (query, greeting) in [
                ("", "Hello"), ("&language=ja_JP", "こんにちは"), ("&language=en&version=6", "Hello"),
            ] {
                let answer = try await stage.values(nil, query)
                #expect(answer["values.greeting"] == greeting && answer["values.hint"] == "tap", "\(query)")
                #expect(answer["revision"] == "2" && answer["experiments.0.variation"] == nil)
            }
            let android = try await stage.app.get(
                "/v1/values?platform=android&version=5.1&language=ja", headers: stage.client)
            #expect(android["values.greeting"] == "Hello again" && android["values.hint"] == nil)
        }
    }

    @Test(arguments: [("たなか", "control"), ("😀", "loud"), ("é", "loud"), ("user-1", nil)])
    func `a unit is in the variation of its bucket`(unit: String, expected: String?) async throws {
        try await Self.run { stage in
            let answer = try await stage.values(unit)
            let variation = try #require(answer["experiments.0.variation"])
            if let expected { #expect(variation == expected) }
            #expect(answer["values.greeting"] == (variation == "loud" ? "HELLO" : "Hello"))
            #expect(answer["experiments.0.experiment"] == "exp" && answer["experiments.0.phase"] == "1")
            var same = stage.client
            same[.ifNoneMatch] = answer.headers[.eTag]
            let unit = PercentEncoding.encode(unit)
            let again = try await stage.app.get("/v1/values?platform=ios&unit=\(unit)", headers: same)
            #expect(again.status == 304)
        }
    }

    @Test func `what is exposed and reached counts once, and only after the exposure`() async throws {
        try await Self.run { stage in
            let (control, loud) = try (Self.units(3, in: "control"), Self.units(1, in: "loud")[0])
            #expect(try await stage.reach(control[0]).status == 204)
            for unit in control {
                for _ in 0..<3 { #expect(try await stage.expose(unit, "control").status == 204) }
            }
            #expect(try await stage.expose(loud, "loud").status == 204)
            for _ in 0..<3 {
                for unit in [control[1], loud, "stranger"] {
                    #expect(try await stage.reach(unit).status == 204)
                }
            }
            #expect(try await stage.reach(control[1], "other").status == 204)
            let results = try await stage.results()
            #expect(results["variations.0.units"] == "3" && results["variations.1.units"] == "1")
            #expect(results["variations.0.goals.0.goal"] == "bought", "\(results.text)")
            #expect(
                results["variations.0.goals.0.units"] == "1" && results["variations.1.goals.0.units"] == "1")
            #expect(results["variations.0.goals.1.goal"] == "other")
            #expect(results["verdict"] == "too_early" && results["crossed"] == "0")
            try await stage.app.verify()
        }
    }

    @Test func `many servers that say the same at once count it once`() async throws {
        try await Self.run { stage in
            let units = try Self.units(5, in: "control")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<60 {
                    group.addTask {
                        let unit = units[number % 5]
                        let exposed = try await stage.expose(unit, "control")
                        let reached = try await stage.reach(unit)
                        #expect(exposed.status == 204 && reached.status == 204)
                    }
                }
                try await group.waitForAll()
            }
            let results = try await stage.results()
            #expect(results["variations.0.units"] == "5" && results["variations.0.goals.0.units"] == "5")
        }
    }

    @Test func `what came long after the exposure counts no more, and what is old goes`() async throws {
        try await Self.run { stage in
            let units = try Self.units(2, in: "control")
            for unit in units { #expect(try await stage.expose(unit, "control").status == 204) }
            #expect(try await stage.reach(units[1]).status == 204)
            try await stage.app.db.write.run("UPDATE exposures SET exposed_at = now() - interval '31 days'")
            #expect(try await stage.reach(units[0]).status == 204)
            #expect(try await stage.results()["variations.0.goals.0.units"] == "1")
            try await stage.app.db.write.run("UPDATE exposures SET exposed_at = now() - interval '401 days'")
            let before = try await stage.results()
            try await ExperimentStore(db: stage.app.db).forgetOld(part: 1)
            let after = try await stage.results()
            #expect(after.text == before.text && after["variations.0.units"] == "2", "\(after.text)")
            let left = try await stage.app.db.read.first("SELECT count(*) FROM conversions") {
                try $0.next(as: Int.self)
            }
            #expect(left == 0)
        }
    }

    @Test func `a sticky unit keeps its variation until the next phase`() async throws {
        try await Self.run { stage in
            #expect(try await stage.variation("たなか") == "control")
            let sticky = "goal: bought\n    sticky: true"
            try await stage.apply(replacing: "goal: bought", with: sticky)
            #expect(try await stage.expose("たなか", "control").status == 204)
            for more in ["coverage: 0", "when: {country: [KR]}", "namespace: {name: n, from: 0, to: 0.1}"] {
                try await stage.apply(replacing: "goal: bought", with: "\(sticky)\n    \(more)")
                #expect(try await stage.variation("たなか") == "control", "\(more)")
                #expect(try await stage.variation("😀") == nil, "\(more)")
                #expect(try await stage.expose("たなか", "control").status == 204, "\(more)")
                #expect(try await stage.expose("たなか", "loud").status == 409, "\(more)")
            }
            try await stage.apply(replacing: "goal: bought", with: "\(sticky)\n    phase: 2")
            #expect(try await stage.expose("たなか", "control").code == "experiment_changed")
            #expect(try await stage.expose("たなか", "control", phase: 2).status == 204)
            #expect(try await stage.results()["variations.0.units"] == "1")
        }
    }

    @Test func `a winner is for all, and counted no more`() async throws {
        try await Self.run { stage in
            try await stage.apply(replacing: "goal: bought", with: "goal: bought\n    winner: loud")
            for unit in ["たなか", nil] {
                let answer = try await stage.values(unit)
                #expect(answer["values.greeting"] == "HELLO" && answer["experiments.0.variation"] == nil)
            }
            #expect(try await stage.expose("たなか", "loud").code == "experiment_changed")
            #expect(try await stage.results()["winner"] == "loud")
        }
    }

    @Test func `a seed shuffles anew, and coverage leaves some out`() async throws {
        try await Self.run { stage in
            let units = (0..<40).map { "u\($0)" }
            func all() async throws -> [String?] {
                var found: [String?] = []
                for unit in units { found.append(try await stage.variation(unit)) }
                return found
            }
            let before = try await all()
            #expect(Set(before) == ["control", "loud"])
            try await stage.apply(replacing: "goal: bought", with: "goal: bought\n    seed: 種")
            #expect(try await all() != before)
            try await stage.apply(replacing: "goal: bought", with: "goal: bought\n    coverage: 50")
            let half = try await all()
            #expect(half.contains(nil) && zip(half, before).allSatisfy { $0.0 == nil || $0.0 == $0.1 })
        }
    }

    @Test(arguments: [
        (#"{"unit":"","experiment":"exp","phase":1,"variation":"loud"}"#, 400, "unit"),
        (#"{"unit":"u","experiment":"none","phase":1,"variation":"loud"}"#, 404, nil),
        (#"{"unit":"u","experiment":"exp","phase":1,"variation":"quiet"}"#, 400, "variation"),
        (#"{"unit":"u","experiment":"exp","phase":2,"variation":"loud"}"#, 409, nil),
        (#"{"unit":"u","experiment":"exp","variation":"loud"}"#, 400, "phase"),
        (#"{"unit":"u","experiment":"exp","phase":1.5,"variation":"loud"}"#, 400, "phase"),
        (#"{"unit":"u","experiment":"exp","phase":1e99,"variation":"loud"}"#, 400, "phase"),
    ])
    func `an exposure that cannot be is refused`(body: String, status: Int, field: String?) async throws {
        try await Self.run { stage in
            let answer = try await stage.app.post(
                "/v1/exposures", as: nil, headers: stage.client, Body(stringLiteral: body))
            #expect(answer.status == status && answer["field"] == field, "\(answer.text)")
        }
    }

    @Test(arguments: ["friend", "tap", "", "1bought", "a b"])
    func `a goal that Kith counts itself, or that is none, is refused`(goal: String) async throws {
        try await Self.run { stage in
            let answer = try await stage.reach("u", goal)
            #expect(answer.status == 400 && answer["field"] == "goal", "\(answer.text)")
        }
    }

    @Test func `what is kept of a unit that is a uid goes with the account, and is in its export`()
        async throws
    {
        try await Self.run { stage in
            try await stage.app.signUp("ann")
            let variation = try #require(try await stage.variation("u-ann"))
            #expect(try await stage.expose("u-ann", variation).status == 204)
            #expect(try await stage.reach("u-ann").status == 204)
            let export = try await stage.app.get("/v1/me/export", as: "u-ann")
            #expect(export["experiments.0.experiment"] == "exp", "\(export.text)")
            #expect(export["experiments.0.variation"] == variation)
            #expect(export["experiments.0.goals.0.goal"] == "bought")
            #expect(try await stage.app.call(.delete, "/v1/me", as: "u-ann").status == 204)
            let results = try await stage.results()
            #expect(results["variations.0.units"] == "0" && results["variations.1.units"] == "0")
            try await stage.app.verify()
        }
    }

    @Test func `operators see what is applied, and results of no experiment that is not`() async throws {
        try await Self.run { stage in
            let list = try await stage.app.get("/v1/admin/experiments", headers: stage.admin)
            #expect(list["revision"] == "2" && list["experiments.exp.goal"] == "bought", "\(list.text)")
            #expect(list["values.greeting.value"] == "Hello")
            let none = try await stage.app.get("/v1/admin/experiments/none/results", headers: stage.admin)
            #expect(none.status == 404 && none.code == "experiment_not_found")
        }
    }
}
