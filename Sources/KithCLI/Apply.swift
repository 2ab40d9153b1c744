import ArgumentParser
import Foundation
import Growth
import Kernel
import Kith
import Postgres
import Rollout

/// `kith apply`: several apps and stages on one server.
struct Apply: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apply",
        abstract:
            "Make true what a file says of your apps, their stages, updates, values, experiments, offers and rewards.",
        discussion: """
            The file has a section apps, with the hosts of their links, their stores and what opens them, a section policies, with \
            what apps of old versions are to do, the sections values and experiments, a section offers, with the campaigns of offer \
            codes, and a section rewards, or some of these: docs/hosts.md, docs/update-policy.md, docs/experiments.md, docs/offers.md and \
            docs/rewards.md have them. Prints what changes, then changes it. Servers follow within seconds, without a restart. What a section does not name goes; a \
            section that the file does not have stays as it is. `kith apps` prints what is applied, as such a file.

            Exit codes: 0 if it is applied, or nothing changes; 1 if the file is wrong or somebody else changed it meanwhile; 2 \
            for wrong usage.
            """)

    @Argument(help: "The file, in YAML; - for standard input.", completion: .file())
    var file: String

    @Flag(help: "Only print what would change.")
    var dryRun = false

    func run() async throws {
        let environment = try Environment()
        let wanted = try read(environment.config)
        let db = try await environment.database()
        let store = AppliedStore(db: db)
        let guards =
            try await campaignGuards(wanted, environment.config, db) + phaseGuards(wanted.experiments, db)
        let changes =
            [
                try await change(to: wanted.apps, store), try await change(to: wanted.policies, store),
                try await change(to: wanted.values, store), try await change(to: wanted.experiments, store),
                try await change(to: wanted.offers, AppliedOfferStore(db: db)),
            ].compactMap(\.self)
        let rewards = try await change(to: wanted.rewards, store)
        guard !changes.isEmpty || rewards != nil else { return try say("nothing changes") }
        for gap in wanted.apps?.gaps(over: environment.config) ?? [] { try say("warning: \(gap)") }
        guard !dryRun else { return try say("nothing was changed: without --dry-run it would be") }
        // Rewards are written after the campaigns that the file adds, and before the version of the programs
        // changes.
        guard try await store.write(changes + guards + [rewards].compactMap(\.self)) else {
            throw Failure(
                "somebody applied another file meanwhile, and nothing was changed: run it again to see what changes now"
            )
        }
        try say("applied: servers follow within \(AppsFile.secondsToFollow) seconds")
    }

    /// Prints what changes in a section. Nil if nothing does.
    private func change<Section: AppliedSection>(
        to wanted: Section?, _ store: AppliedStore
    ) async throws -> AppliedStore.Change? {
        guard let wanted else { return nil }
        let found = try await store.read(Section.self) ?? .init()
        let mistakes = wanted.mistakes(over: found.content)
        guard mistakes.isEmpty else { throw Failure(mistakes.joined(separator: "\n")) }
        let lines = found.content.changes(to: wanted)
        for line in lines { try say(line) }
        return lines.isEmpty ? nil : try AppliedStore.Change(wanted, over: found.version)
    }

    private func change(
        to wanted: AppliedOffers?, _ store: AppliedOfferStore
    ) async throws -> AppliedStore.Change? {
        guard let wanted else { return nil }
        let found = try await store.read()
        let mistakes = found.mistakes(in: wanted)
        guard mistakes.isEmpty else { throw Failure(mistakes.joined(separator: "\n")) }
        let lines = found.offers.changes(to: wanted)
        for line in lines { try say(line) }
        return lines.isEmpty ? nil : store.change(from: found, to: wanted)
    }

    /// Refuses programs of rewards whose campaigns of offers are missing, or belong to no app here. Returns
    /// changes that keep the campaigns so until the file is applied.
    private func campaignGuards(
        _ wanted: AppsFile, _ config: Config, _ db: Database
    ) async throws -> [AppliedStore.Change] {
        guard wanted.offers != nil || wanted.rewards != nil else { return [] }
        let (store, offerStore) = (AppliedStore(db: db), AppliedOfferStore(db: db))
        let programs = try await store.read(AppliedRewards.self) ?? .init()
        let offers = if let offers = wanted.offers { offers } else { try await offerStore.read().offers }
        let apps = if let apps = wanted.apps { apps } else { try await store.read()?.content ?? .init() }
        let rewards = wanted.rewards ?? programs.content
        let mistakes = rewards.mistakes(among: offers, of: apps.appStoreIDs(and: config.app.appStoreID))
        guard mistakes.isEmpty else { throw Failure(mistakes.joined(separator: "\n")) }
        return [offerStore.guarding(rewards.campaigns, of: offers), AppliedStore.Change(unless: programs)]
    }

    /// Refuses experiments that begin a phase which was counted by another definition. Returns changes that
    /// keep it so until the file is applied.
    private func phaseGuards(
        _ wanted: AppliedExperiments?, _ db: Database
    ) async throws -> [AppliedStore.Change] {
        guard let wanted else { return [] }
        let store = AppliedExperimentStore(db: db)
        let former = try await AppliedStore(db: db).read(AppliedExperiments.self)?.content ?? .init()
        let mistakes = try await store.mistakes(in: wanted, over: former)
        guard mistakes.isEmpty else { throw Failure(mistakes.joined(separator: "\n")) }
        return [store.guarding(wanted, over: former)]
    }

    private func read(_ config: Config) throws -> AppsFile {
        let handle = file == "-" ? FileHandle.standardInput : FileHandle(forReadingAtPath: file)
        guard let handle, let bytes = try? handle.read(upToCount: AppsFile.mostBytes + 1) ?? Data() else {
            throw Failure("cannot read '\(file)'")
        }
        guard bytes.count <= AppsFile.mostBytes else { throw Failure("'\(file)' has more than 3 MiB") }
        guard let text = String(data: bytes, encoding: .utf8) else { throw Failure("'\(file)' is not UTF-8") }
        do {
            let folder = file == "-" ? "." : URL(filePath: file).deletingLastPathComponent().path
            return try AppsFile(yaml: text, folder: URL(filePath: folder), config: config)
        } catch let error as ConfigError {
            throw Failure(error.mistakes.joined(separator: "\n"))
        }
    }
}

/// `kith apps`: what is applied.
struct Apps: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apps",
        abstract:
            "Print the apps, update policies, values, experiments, offers and rewards that `kith apply` made true, as its file."
    )

    func run() async throws {
        let db = try await Environment().database()
        let store = AppliedStore(db: db)
        let apps = try await store.read(AppliedApps.self) ?? .init()
        let policies = try await store.read(AppliedPolicies.self) ?? .init()
        let values = try await store.read(AppliedValues.self) ?? .init()
        let experiments = try await store.read(AppliedExperiments.self) ?? .init()
        let offers = try await AppliedOfferStore(db: db).read().offers
        let rewards = try await store.read(AppliedRewards.self) ?? .init()
        try put(
            AppsFile.yaml(
                of: apps.content, policies.content, values.content, experiments.content, offers,
                rewards.content))
        await db.close()
    }
}
