import Foundation
import HTTPTypes
import HummingbirdTesting
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith
@testable import Rollout
@testable import Web

/// Which exposures count: what Kith gave, not too many from an address, and an account by its user's word
/// alone.
@Suite(.inTurns) struct ExposureTests {
    private static let origin = "203.0.113.7"

    private static func run(
        sticky: Bool = false, _ test: @Sendable (ExperimentRoutesTests.Stage) async throws -> Void
    ) async throws {
        try await TestApp.run(
            configure: {
                $0.server.trustedProxies.ranges = [AddressRange("127.0.0.0/8")].compactMap(\.self)
                $0.rateLimits = RateLimitConfig()
            }, .live
        ) { app in
            let file = ExperimentRoutesTests.file
            try await app.apply(
                sticky ? file.replacing("goal: bought", with: "goal: bought\n    sticky: true") : file)
            var client = try await app.keyed(.client)
            client[.xForwardedFor] = origin
            try await test(.init(app: app, client: client, server: app.keyed(.server), admin: app.keyed()))
        }
    }

    /// What an app says that it used.
    private static func expose(
        _ stage: ExperimentRoutesTests.Stage, _ unit: String, _ variation: String, _ assignment: String?,
        as uid: String? = nil
    ) async throws -> TestApp.Answer {
        try await stage.app.post(
            "/v1/exposures", as: uid, headers: uid == nil ? stage.client : [.xForwardedFor: origin],
            [
                "unit": unit, "experiment": "exp", "phase": 1, "variation": variation,
                "assignment": assignment,
            ])
    }

    private static func units(_ stage: ExperimentRoutesTests.Stage) async throws -> Int {
        let results = try await stage.results()
        return ["0", "1"].compactMap { results["variations.\($0).units"].flatMap { Int($0) } }.reduce(0, +)
    }

    @Test func `an app exposes only what Kith gave the unit`() async throws {
        try await Self.run { stage in
            let (one, other) = (try await stage.values("one"), try await stage.values("other"))
            let variation = try #require(one["experiments.0.variation"])
            let mark = try #require(one["experiments.0.assignment"])
            let missing = try await Self.expose(stage, "one", variation, nil)
            #expect((missing.status, missing["field"]) == (400, "assignment"), "\(missing.text)")
            for wrong in [
                "", "x", "é", mark + "A", String(mark.dropLast()), other["experiments.0.assignment"] ?? "",
            ] {
                let refused = try await Self.expose(stage, "one", variation, wrong)
                #expect(refused.code == "experiment_changed", "\(wrong): \(refused.text)")
            }
            let swapped = variation == "loud" ? "control" : "loud"
            #expect(try await Self.expose(stage, "one", swapped, mark).status == 409)
            #expect(try await Self.expose(stage, "two", variation, mark).status == 409)
            #expect(try await Self.units(stage) == 0)
            for _ in 0..<2 { #expect(try await Self.expose(stage, "one", variation, mark).status == 204) }
            #expect(try await Self.units(stage) == 1)
            // It is the same again, so that an app's kept answer stays good.
            #expect(try await stage.values("one")["experiments.0.assignment"] == mark)
            try await stage.apply(replacing: "goal: bought", with: "goal: bought\n    phase: 2")
            #expect(try await Self.expose(stage, "one", variation, mark).code == "experiment_changed")
            #expect(try await stage.values("one")["experiments.0.assignment"] != mark)
        }
    }

    @Test func `one address cannot make up a crowd of units, and a backend may`() async throws {
        try await Self.run { stage in
            for number in 0..<70 {
                let values = try await stage.values("unit \(number)")
                let answer = try await Self.expose(
                    stage, "unit \(number)", values["experiments.0.variation"] ?? "",
                    values["experiments.0.assignment"])
                #expect(answer.status == 204)
            }
            let results = try await stage.results()
            #expect(results["leftOut"] == "10", "\(results.text)")
            #expect(try await Self.units(stage) == 60)
            for unit in try ExperimentRoutesTests.units(60, in: "loud").suffix(5) {
                #expect(try await stage.expose(unit, "loud").status == 204)
            }
            #expect(try await stage.results()["leftOut"] == "10")
        }
    }

    @Test func `an account is in an experiment by its user's token or a backend's key alone`() async throws {
        try await Self.run { stage in
            try await stage.app.signUp("ann")
            let seen = try await stage.values("u-ann")
            let variation = try #require(seen["experiments.0.variation"])
            #expect(
                try await Self.expose(stage, "u-ann", variation, seen["experiments.0.assignment"]).status
                    == 204)
            #expect(try await Self.units(stage) == 0)
            #expect(try await stage.results()["leftOut"] == "1")
            let mine = try await stage.app.get("/v1/values?platform=ios&unit=u-ann", as: "u-ann")
            #expect(mine["experiments.0.variation"] == variation, "\(mine.text)")
            let mark = mine["experiments.0.assignment"]
            for path in ["/v1/values?platform=ios&unit=u-bob", "/v1/values?platform=ios&unit=u-ann"] {
                let others = try await stage.app.get(path, as: path.hasSuffix("bob") ? "u-ann" : "u-bob")
                #expect((others.status, others["field"]) == (403, "unit"))
            }
            #expect(try await Self.expose(stage, "u-ann", variation, mark, as: "u-bob").status == 403)
            #expect(
                try await Self.expose(stage, "u-ann", variation, nil, as: "u-ann")["field"] == "assignment")
            #expect(try await Self.expose(stage, "u-ann", variation, mark, as: "u-ann").status == 204)
            #expect(try await Self.units(stage) == 1)
            let export = try await stage.app.get("/v1/me/export", as: "u-ann")
            #expect(export["experiments.0.variation"] == variation)
            try await stage.app.signUp("bob")
            let bobs = try #require(try await stage.variation("u-bob"))
            #expect(try await stage.expose("u-bob", bobs).status == 204)
            #expect(try await Self.units(stage) == 2)
        }
    }

    @Test func `an app's key learns nothing of a user whose variation is kept`() async throws {
        try await Self.run(sticky: true) { stage in
            try await stage.app.signUp("ann")
            let before = try #require(try await stage.variation("u-ann"))
            let other = before == "loud" ? "control" : "loud"
            let id = try #require(ExperimentUnit("u-ann")).id
            try await ExperimentStore(db: stage.app.db).expose([
                Exposure(unit: id, experiment: "exp", phase: 1, variation: other)
            ])
            #expect(try await stage.variation("u-ann") == before)
            let mine = try await stage.app.get("/v1/values?platform=ios&unit=u-ann", as: "u-ann")
            #expect(mine["experiments.0.variation"] == other)
            let backend = try await stage.app.get("/v1/values?platform=ios&unit=u-ann", headers: stage.server)
            #expect(backend["experiments.0.variation"] == other)
        }
    }
}
