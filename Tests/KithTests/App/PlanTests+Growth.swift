import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import Kith

/// What growth asks of the database.
extension PlanTests {
    func driveExperiments(_ app: TestApp) async throws {
        let store = ExperimentStore(db: app.db)
        let unit = try #require(ExperimentUnit("somebody"))
        try await store.expose([
            Exposure(unit: unit.id, experiment: "experiment1", phase: 1, variation: "control"),
            Exposure(
                unit: unit.id, experiment: "experiment2", phase: 1, variation: "control", isLeftOut: true),
        ])
        try await store.add([Conversion(unit: unit.id, goal: .friend)])
        try await app.db.write.batch(ExperimentStore.add([.signup, .friend], of: unit.id))
        #expect(try await store.exposed(unit).count == 1)
        let experiment = Experiment(
            key: "experiment1", variations: [.init(name: "control", weight: 10_000)], goal: .friend)
        let counts = try await store.counts(of: experiment)
        #expect((counts.units["control"] ?? 0) > 1)
        try await store.forgetOld()
    }

    func driveVersions(_ app: TestApp) async throws {
        let version = "?platform=ios&version=1.0"
        #expect(
            try await app.get("/v1/policy\(version)", headers: try await app.keyed(.client)).status == 200)
        let store = VersionCountStore(db: app.db)
        try await VersionCountService(
            queue: app.app.versionCounts, store: store, named: { [] }, logger: TestApp.quiet
        ).flush()
        let counts = try await app.get("/v1/admin/client-versions?app=x", headers: try await app.keyed())
        #expect(counts.status == 200)
        try await store.forgetOld()
    }
}
