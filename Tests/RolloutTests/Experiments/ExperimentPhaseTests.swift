import Foundation
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith
@testable import Rollout

/// A phase that was counted never gets another definition.
@Suite(.inTurns) struct ExperimentPhaseTests {
    private static func file(phase: Int, weight: Int = 50) -> String {
        """
        experiments:
          swap:
            goal: bought
            phase: \(phase)
            variations:
              control: {weight: \(100 - weight)}
              b: {weight: \(weight), values: {greeting: Hi}}
        """
    }

    private static func run(
        _ test: (_ db: Database, _ apply: (String, String...) async throws -> KithCommand.Outcome)
            async throws -> Void
    ) async throws {
        let url = try await TestPostgres.shared.migratedDatabase()
        let db = try Database(Database.Configuration(url: url))
        let file = FileManager.default.temporaryDirectory.appending(path: "kith-phases-\(UUID()).yaml")
        defer { try? FileManager.default.removeItem(at: file) }
        try await test(db) { (yaml: String, more: String...) in
            try yaml.write(to: file, atomically: true, encoding: .utf8)
            let arguments = ["apply", file.path, "--prune", "--force", "experiments.swap"] + more
            return try await KithCommand(arguments, ["KITH_DATABASE_URL": url]).run()
        }
        await db.close()
    }

    private static func expose(_ phase: Int, _ db: Database) async throws {
        let unit = try #require(ExperimentUnit("unit \(UUID())"))
        try await ExperimentStore(db: db).expose([
            Exposure(unit: unit.id, experiment: "swap", phase: phase, variation: "b")
        ])
    }

    @Test func `an experiment that was removed does not come back within its phase`() async throws {
        try await Self.run { db, apply in
            #expect(try await apply(Self.file(phase: 1)).status == 0)
            // Nobody was counted yet.
            #expect(try await apply("experiments: {}").status == 0)
            #expect(try await apply(Self.file(phase: 1, weight: 20)).status == 0)
            try await Self.expose(1, db)
            #expect(try await apply("experiments: {}").status == 0)
            for more in [[], ["--dry-run"]] {
                let refused =
                    more.isEmpty
                    ? try await apply(Self.file(phase: 1)) : try await apply(Self.file(phase: 1), more[0])
                #expect(
                    refused.status == 1
                        && refused.error.contains(
                            "experiments.swap.phase: phase 1 has exposures of another definition: set phase: 2"
                        ),
                    "\(refused)")
            }
            #expect(try await apply(Self.file(phase: 2)).status == 0)
            #expect(try await apply(Self.file(phase: 2)).output == "nothing changes\n")
        }
    }

    @Test func `a phase does not come back once it or a later one was counted`() async throws {
        try await Self.run { db, apply in
            #expect(try await apply(Self.file(phase: 1)).status == 0)
            try await Self.expose(1, db)
            #expect(try await apply(Self.file(phase: 3, weight: 20)).status == 0)
            let other = try await apply(Self.file(phase: 1, weight: 20))
            #expect(other.status == 1 && other.error.contains("phase 1 has exposures"), "\(other)")
            try await Self.expose(3, db)
            for phase in [1, 2] {
                let refused = try await apply(Self.file(phase: phase))
                #expect(
                    refused.status == 1 && refused.error.contains("phase 3 has exposures")
                        && refused.error.contains("set phase: 4"), "\(refused)")
            }
            // The phase that goes on may be counted.
            let winner = Self.file(phase: 3, weight: 20) + "\n    winner: b"
            #expect(try await apply(winner).status == 0)
            #expect(try await apply(Self.file(phase: 4)).status == 0)
        }
    }

    @Test func `nothing is written if the phase is counted meanwhile`() async throws {
        try await Self.run { db, _ in
            let read = try AppsFile(
                yaml: Self.file(phase: 1), folder: RepositoryFile.root, config: Config())
            let wanted = try #require(read.sections[AppliedExperiments.self])
            let (store, applied) = (AppliedExperimentStore(db: db), AppliedStore(db: db))
            let begun = try await store.begun(wanted, over: .init())
            #expect(begun.mistakes == [])
            let guards = begun.uncounted.flatMap(ExperimentStore.requireUncounted)
            let changes = [try AppliedStore.Change(wanted, over: 0), AppliedStore.Change(guards)]
            try await Self.expose(1, db)
            #expect(try await !applied.write(changes))
            #expect(try await applied.read(AppliedExperiments.self) == nil)
        }
    }
}
