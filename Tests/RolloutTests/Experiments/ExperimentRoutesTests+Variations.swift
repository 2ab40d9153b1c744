import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Rollout

/// Which variation a unit may say that it used.
extension ExperimentRoutesTests {
    @Test func `a unit that saw two variations counts for none`() async throws {
        try await Self.run { stage in
            let (one, two) = try (Self.units(1, in: "control")[0], Self.units(1, in: "loud")[0])
            #expect(try await stage.expose(one, "control").status == 204)
            #expect(try await stage.expose(two, "loud").status == 204)
            // `kith apply` refuses this without a new phase.
            try await stage.apply(
                replacing: "control: {weight: 50}\n      loud: {weight: 50",
                with: "control: {weight: 0}\n      loud: {weight: 100")
            #expect(try await stage.expose(one, "loud").status == 204)
            #expect(try await stage.expose(one, "control").code == "experiment_changed")
            #expect(try await stage.reach(one).status == 204)
            let results = try await stage.results()
            #expect(results["crossed"] == "1", "\(results.text)")
            #expect(results["variations.0.units"] == "0" && results["variations.0.goals.0.units"] == "0")
            #expect(results["variations.1.units"] == "1")
        }
    }

    @Test func `what a unit reached that saw two variations counts for none, beside others in them`()
        async throws
    {
        try await Self.run { stage in
            let units = try Self.units(3, in: "control")
            for unit in units { #expect(try await stage.expose(unit, "control").status == 204) }
            for unit in units.prefix(2) { #expect(try await stage.reach(unit).status == 204) }
            let crossed = try #require(ExperimentUnit(units[0]))
            let marked = try await stage.app.db.write.run(
                "UPDATE exposures SET crossed_at = now() WHERE unit = \(crossed.id)")
            #expect(marked == 1)
            let results = try await stage.results()
            #expect(results["crossed"] == "1" && results["variations.0.units"] == "2", "\(results.text)")
            #expect(results["variations.0.goals.0.units"] == "1", "\(results.text)")
        }
    }

    @Test func `nobody puts a unit into a variation that its bucket does not give it`() async throws {
        try await Self.run { stage in
            let control = try Self.units(1, in: "control")[0]
            let refused = try await stage.expose(control, "loud")
            #expect(refused.status == 409 && refused.code == "experiment_changed", "\(refused.text)")
            try await stage.apply(replacing: "goal: bought", with: "goal: bought\n    coverage: 0")
            #expect(try await stage.expose(control, "control").status == 409)
            #expect(try await stage.results()["variations.0.units"] == "0")
        }
    }

    @Test func `of who deleted their account nothing is kept any more, whoever says it`() async throws {
        try await Self.run { stage in
            let uid = try Self.units(1, in: "control")[0].replacing(" ", with: "")
            let unit = try #require(try await stage.variation(uid))
            _ = try await stage.app.post("/v1/signup", as: uid, ["username": "gone"])
            #expect(try await stage.app.call(.delete, "/v1/me", as: uid).status == 204)
            #expect(try await stage.expose(uid, unit).status == 204)
            #expect(try await stage.reach(uid).status == 204)
            let results = try await stage.results()
            #expect(results["variations.0.units"] == "0" && results["variations.1.units"] == "0")
            try await stage.app.verify()
        }
    }

    @Test func `of who deletes their account at that moment nothing is kept`() async throws {
        try await Self.run { stage in
            let uids = try Self.units(12, in: "control").map { $0.replacing(" ", with: "") }
            for (number, uid) in uids.enumerated() {
                _ = try await stage.app.post("/v1/signup", as: uid, ["username": "gone\(number)"])
                let unit = try #require(try await stage.variation(uid))
                try await withThrowingTaskGroup { tasks in
                    for _ in 0..<4 { tasks.addTask { _ = try await stage.expose(uid, unit) } }
                    tasks.addTask { _ = try await stage.app.call(.delete, "/v1/me", as: uid) }
                    try await tasks.waitForAll()
                }
            }
            try await stage.app.verify()
        }
    }

    @Test func `a goal of a unit whose exposures are just being deleted counts for nothing, and is no error`()
        async throws
    {
        try await Self.run { stage in
            let units = try Self.units(2, in: "control")
            let goal = try #require(Goal("bought"))
            let both = try units.map { Conversion(unit: try #require(ExperimentUnit($0)).id, goal: goal) }
            let store = ExperimentStore(db: stage.app.db)
            var outcomes: Set<String> = []
            // A busy machine may take longer than the goal waits for the lock: then again.
            for _ in 0..<20 where outcomes.count < 2 {
                for unit in units { #expect(try await stage.expose(unit, "control").status == 204) }
                try await stage.app.db.withConnection { session in
                    try await session.script("BEGIN; DELETE FROM exposures WHERE unit = '\(both[0].unit)'")
                    let isAlone = !outcomes.contains("alone 204")
                    let told = Task {
                        if isAlone { return "alone \(try await stage.reach(units[0]).status)" }
                        // A group fails as a whole; then its queue writes each alone.
                        do { try await store.add(both) } catch let error as PostgresError {
                            return "together \(error.sqlState ?? "")"
                        }
                        return "together written"
                    }
                    try await stage.app.untilSomebodyWaits()
                    try await session.script("COMMIT")
                    let outcome = try await told.value
                    if !["alone 503", "together 55P03"].contains(outcome) { outcomes.insert(outcome) }
                }
            }
            #expect(outcomes == ["alone 204", "together 23503"])
            #expect(try await stage.app.count("conversions") == 0)
            #expect(try await stage.reach(units[1]).status == 204)
            #expect(try await stage.app.count("conversions") == 1)
        }
    }

    @Test func `a unit whose user is locked does not keep those of others from being counted`()
        async throws
    {
        try await Self.run { stage in
            let uids = try Self.units(4, in: "control").map { $0.replacing(" ", with: "") }
            var variations: [String] = []
            for (number, uid) in uids.enumerated() {
                _ = try await stage.app.post("/v1/signup", as: uid, ["username": "user\(number)"])
                variations.append(try #require(try await stage.variation(uid)))
            }
            let locked = User.ID(of: User.UID(stored: uids[0])).uuid
            let asked = Array(zip(uids, variations))
            try await stage.app.db.withConnection { session in
                try await session.script("BEGIN; UPDATE users SET status = status WHERE id = '\(locked)'")
                let statuses = try await withThrowingTaskGroup(of: (String, Int).self) { tasks in
                    for (uid, variation) in (0..<5).flatMap({ _ in asked }) {
                        tasks.addTask { (uid, try await stage.expose(uid, variation).status) }
                    }
                    return try await tasks.reduce(into: [String: Set<Int>]()) {
                        $0[$1.0, default: []].insert($1.1)
                    }
                }
                #expect(statuses[uids[0]] == [503])
                for uid in uids.dropFirst() { #expect(statuses[uid]?.contains(204) == true) }
                try await session.script("COMMIT")
            }
        }
    }

    /// What several servers or calls say while a group is written, the next group says in one statement.
    @Test func `a unit that said two variations within one group counts for none`() async throws {
        try await Self.run { stage in
            let known = try Self.units(1, in: "loud")[0]
            #expect(try await stage.expose(known, "loud").status == 204)
            let group = try [
                ("one", "control"), ("two", "loud"), ("one", "loud"), ("two", "loud"), ("one", "control"),
                ("three", "loud"), ("three", "control"), (known, "loud"), (known, "control"),
            ].map { unit, variation in
                Exposure(
                    unit: try #require(ExperimentUnit(unit)).id, experiment: "exp", phase: 1,
                    variation: variation)
            }
            for _ in 0..<2 {  // The same again changes nothing.
                try await ExperimentStore(db: stage.app.db).expose(group)
                let results = try await stage.results()
                #expect(results["crossed"] == "3", "\(results.text)")
                #expect(results["variations.0.units"] == "0" && results["variations.1.units"] == "1")
            }
        }
    }
}
