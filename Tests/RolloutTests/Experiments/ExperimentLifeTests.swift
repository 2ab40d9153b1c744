import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith
@testable import Rollout

/// An experiment begins as a draft, runs, is stopped and archived, and answers for ever.
@Suite(.inTurns) struct ExperimentLifeTests {
    private static func file(_ fields: String, experiments: String? = nil) -> String {
        """
        values:
          greeting: Hello
        experiments:
          swap:
            goal: bought
            variations:
              control: {weight: 50}
              b: {weight: 50, values: {greeting: Hi}}
            \(fields)
        """
    }

    /// A unit whose bucket is that of b.
    private static let unit =
        (0..<100).lazy.map { "phone \($0)" }.first { Bucket.of($0, seed: "swap") >= Bucket.count / 2 } ?? ""

    private static func greeting(_ app: TestApp) async throws -> String? {
        let path = "/v1/values?platform=ios&unit=\(unit.replacing(" ", with: "%20"))"
        return try await app.get(path, headers: app.keyed(.client))["values.greeting"]
    }

    @Test(arguments: [
        ("state: draft", "Hello", 409), ("state: running", "Hi", 204), ("", "Hi", 204),
        ("state: stopped", "Hello", 409), ("winner: b", "Hi", 409),
        ("{state: stopped, winner: b}", "Hi", 409), ("state: archived", "Hello", 409),
        ("{state: archived, winner: b}", "Hello", 409),
    ])
    func `who gets what says the state, and only a running one counts`(
        fields: String, greeting: String, status: Int
    ) async throws {
        let lines = fields.trimmingCharacters(in: ["{", "}"]).replacing(", ", with: "\n    ")
        try await TestApp.run { app in
            try await app.apply(Self.file(lines))
            #expect(try await Self.greeting(app) == greeting)
            let exposure: Body = """
                {"unit":"\(Self.unit)","experiment":"swap","phase":1,"variation":"b"}
                """
            let exposed = try await app.post(
                "/v1/exposures", as: nil, headers: app.keyed(.server), exposure)
            #expect(exposed.status == status, "\(exposed.text)")
        }
    }

    @Test(arguments: [
        (
            "state: paused",
            "state: 'paused' is not allowed: it must be one of draft, running, stopped, archived"
        ),
        ("state: draft\n    winner: b", "winner: is for an experiment that is stopped or archived"),
        ("state: running\n    winner: b", "winner: is for an experiment that is stopped or archived"),
    ])
    func `a state that cannot be is refused`(fields: String, mistake: String) throws {
        var section = AppliedExperiments()
        section.entries["swap"] = fields.split(separator: "\n").reduce(into: [
            "goal": "bought", "variations.control.weight": "50", "variations.b.weight": "50",
        ]) { found, line in
            let parts = line.split(separator: ":").map { $0.trimmingCharacters(in: .whitespaces) }
            found[parts[0]] = parts[1]
        }
        #expect(section.read().mistakes == ["experiments.swap.\(mistake)"])
    }

    private static func section(_ fields: [String: String]) -> AppliedExperiments {
        var section = AppliedExperiments()
        section.entries["swap"] = [
            "goal": "bought", "variations.control.weight": "50", "variations.b.weight": "50",
        ].merging(fields) { $1 }
        return section
    }

    @Test(arguments: [
        ("draft", "draft", true), ("draft", "running", true), ("running", "running", false),
        ("running", "stopped", false), ("stopped", "running", false), ("stopped", "archived", false),
        ("archived", "running", false),
    ])
    func `only of a draft everything may change within its phase`(
        from: String, to: String, isAllowed: Bool
    ) {
        let before = Self.section(["state": from])
        let after = Self.section(["state": to, "goal": "other"])
        #expect(after.mistakes(over: before).isEmpty == isAllowed)
    }

    @Test func `two drafts may change the same value, but not two that run`() {
        var both = Self.section(["state": "draft", "variations.b.values.greeting": "Hi"])
        both.entries["other"] = both.entries["swap"]
        #expect(both.read().mistakes == [])
        both.entries["other"]?["state"] = "running"
        #expect(both.read().mistakes == [])
        both.entries["swap"]?["state"] = "running"
        #expect(both.read().mistakes.count == 1)
        both.entries["swap"]?["state"] = "archived"
        #expect(both.read().mistakes == [])
    }

    /// Exposes units, of whom some bought something, and of whom one saw both variations.
    private static func count(_ app: TestApp, _ variation: String, daysAgo: Int, units: Int, bought: Int)
        async throws
    {
        let mark = "\(variation)-\(daysAgo)-"
        try await app.db.write.batch([
            """
            INSERT INTO exposures (unit, experiment, phase, variation, exposed_at, crossed_at)
            SELECT user_id(\(mark) || n), 'swap', 1, \(variation), now() - \(Double(daysAgo)) * interval '1 day',
                   CASE WHEN n = 0 THEN now() END
            FROM generate_series(0, \(units)) n
            """,
            """
            INSERT INTO conversions (unit, experiment, phase, goal, reached_at)
            SELECT user_id(\(mark) || n), 'swap', 1, 'bought', now() - \(Double(daysAgo)) * interval '1 day'
            FROM generate_series(0, \(bought)) n
            """,
        ])
    }

    @Test func `results of each day stay when the rows and the experiment are gone`() async throws {
        try await TestApp.run { app in
            try await app.apply(Self.file(""))
            for (daysAgo, units, bought) in [(500, 40, 10), (499, 30, 20), (60, 20, 9), (3, 10, 8)] {
                try await Self.count(app, "control", daysAgo: daysAgo, units: units, bought: bought)
                try await Self.count(app, "b", daysAgo: daysAgo, units: units, bought: bought + 1)
            }
            let path = "/v1/admin/experiments/swap/results"
            let before = try await app.get(path, headers: app.keyed())
            #expect(before["variations.0.units"] == "100" && before["crossed"] == "8", "\(before.text)")
            #expect(
                before["variations.0.goals.0.units"] == "47" && before["variations.1.goals.0.units"] == "51")
            #expect(before["days.3.variations.0.units"] == "10" && before["days.4.day"] == nil)
            #expect(before["days.1.variations.0.soFar.rate"] == "\(30.0 / 70)")

            // Two servers sum and forget at once, and again.
            let store = ExperimentStore(db: app.db)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<2 { group.addTask { try await store.forgetOld(part: 7) } }
                try await group.waitForAll()
            }
            try await store.forgetOld()
            let left = try await app.db.read.first("SELECT count(*) FROM exposures") {
                try $0.next(as: Int64.self)
            }
            #expect(left == 64)
            #expect(try await app.get(path, headers: app.keyed()).text == before.text)

            // A unit that is forgotten after its day was summed lowers nothing.
            try await app.db.write.run("DELETE FROM exposures WHERE exposed_at < now() - interval '50 days'")
            #expect(try await app.get(path, headers: app.keyed()).text == before.text)
        }
    }

    @Test func `what was published of an experiment stands beside its results, also of an earlier phase`()
        async throws
    {
        try await TestApp.run { app in
            let admin = try await app.keyed()
            func publish(_ fields: String, over revision: Int, _ reason: String) async throws {
                var headers = admin
                headers[.ifMatch] = "\"\(revision)\""
                let swap =
                    fields.isEmpty
                    ? "null"
                    : """
                    {\(fields),"variations":{"control":{"weight":"50"},"b":{"weight":"50","values":{"greeting":"Hi"}}}}
                    """
                let greeting = revision == 0 ? #""values":{"greeting":"Hello"},"# : ""
                let body: Body = """
                    {"changes":{\(greeting)"experiments":{"swap":\(swap)}},"reason":"\(reason)","force":["experiments.swap"]}
                    """
                let answer = try await app.post("/v1/admin/config", as: nil, headers: headers, body)
                #expect(answer.status == 201, "\(answer.text)")
            }
            try await publish(#""goal":"bought","state":"draft""#, over: 0, "an idea")
            try await publish(#""goal":"bought""#, over: 1, "it begins")
            try await app.app.experiments.caches.experiments.follow()
            try await Self.count(app, "b", daysAgo: 3, units: 10, bought: 8)
            try await publish(#""goal":"bought","winner":"b""#, over: 2, "b wins")
            try await publish(#""goal":"returned","phase":"2""#, over: 3, "once more")
            try await publish("", over: 4, "over")
            try await app.app.experiments.caches.experiments.follow()
            let path = "/v1/admin/experiments/swap/results"
            let last = try await app.get(path, headers: admin)
            #expect(last["phase"] == "2" && last["state"] == "removed" && last["goal"] == "returned")
            let first = try await app.get("\(path)?phase=1", headers: admin)
            #expect(first["winner"] == "b" && first["variations.1.units"] == "10", "\(first.text)")
            let states = (0..<5).map { first["history.\($0).state"] }
            #expect(states == ["removed", "running", "stopped", "running", "draft"])
            #expect(first["history.2.reason"] == "b wins" && first["history.2.winner"] == "b")
            #expect(first["history.2.actor"]?.hasPrefix("key:") == true)
            for (phase, status) in [("3", 404), ("0", 400), ("x", 400), ("99999999999999999999", 400)] {
                let answer = try await app.get("\(path)?phase=\(phase)", headers: admin)
                #expect(answer.status == status, "\(answer.text)")
            }
        }
    }

    @Test func `a day is summed once no goal of it can count, and a unit that crosses later stays counted`()
        async throws
    {
        try await TestApp.run { app in
            try await app.apply(Self.file(""))
            for daysAgo in [30, 32] {
                try await Self.count(app, "b", daysAgo: daysAgo, units: 3, bought: 1)
            }
            let store = ExperimentStore(db: app.db)
            try await store.forgetOld()
            let summed = try await app.db.read.query(
                "SELECT (now() AT TIME ZONE 'UTC')::date - day FROM experiment_days"
            ) { try $0.next(as: Int32.self) }
            #expect(summed == [32])
            try await app.db.write.run("UPDATE exposures SET crossed_at = now()")
            let results = try await app.get("/v1/admin/experiments/swap/results", headers: app.keyed())
            #expect(results["variations.1.units"] == "3" && results["crossed"] == "5", "\(results.text)")
        }
    }

    @Test func `a phase of which only sums are left does not begin anew`() async throws {
        try await TestApp.run { app in
            try await app.apply(Self.file(""))
            try await Self.count(app, "b", daysAgo: 401, units: 3, bought: 1)
            try await app.apply("experiments: {}")
            try await ExperimentStore(db: app.db).forgetOld()
            var section = AppliedExperiments()
            section.entries["swap"] = [
                "goal": "other", "variations.control.weight": "50", "variations.b.weight": "50",
            ]
            let applied = AppliedExperimentStore(db: app.db)
            let mistakes = try await applied.begun(section, over: .init()).mistakes
            #expect(mistakes.first?.contains("set phase: 2") == true, "\(mistakes)")
            let guards = section.begun(over: .init()).flatMap(ExperimentStore.requireUncounted)
            #expect(try await !AppliedStore(db: app.db).write([AppliedStore.Change(guards)]))
        }
    }

    @Test func `a draft that takes the number of a counted phase does not judge it`() async throws {
        try await TestApp.run { app in
            try await app.apply(Self.file("winner: b"))
            try await Self.count(app, "b", daysAgo: 3, units: 10, bought: 8)
            try await app.apply("experiments: {}")
            try await app.apply(Self.file("state: draft").replacing("bought", with: "paid"))
            let results = try await app.get("/v1/admin/experiments/swap/results", headers: app.keyed())
            #expect(results["goal"] == "bought" && results["variations.1.units"] == "10", "\(results.text)")
            #expect(results["state"] == "draft")
        }
    }

    @Test(arguments: [
        (["state": "running"], ["state": "archived"], true), (["state": "running"], ["state": "draft"], true),
        (["state": "running"], ["state": "stopped"], false), (["state": "running"], ["winner": "b"], false),
        (["winner": "b"], ["state": "archived"], true), (["winner": "b"], ["state": "stopped"], true),
        (["winner": "b"], ["winner": "b", "state": "archived"], true),
        (["state": "stopped"], ["state": "archived"], false),
        (["state": "draft"], ["state": "archived"], false),
    ])
    func `what ends for people must be forced`(from: [String: String], to: [String: String], isDanger: Bool) {
        let dangers = Self.section(to).dangers(over: Self.section(from))
        #expect(dangers.isEmpty == !isDanger, "\(dangers)")
    }
}
