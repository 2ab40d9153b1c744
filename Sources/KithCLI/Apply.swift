import ArgumentParser
import Foundation
import Kernel
import Kith
import Postgres

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
        let plan = try await wanted.plan(db, beside: environment.config.app)
        guard plan.mistakes.isEmpty else { throw Failure(plan.mistakes.joined(separator: "\n")) }
        for line in plan.lines { try say(line) }
        guard !plan.lines.isEmpty else { return try say("nothing changes") }
        for gap in wanted.sections[AppliedApps.self]?.gaps(over: environment.config) ?? [] {
            try say("warning: \(gap)")
        }
        guard !dryRun else { return try say("nothing was changed: without --dry-run it would be") }
        guard try await AppliedStore(db: db).write(plan.changes) else {
            throw Failure(
                "somebody applied another file meanwhile, and nothing was changed: run it again to see what changes now"
            )
        }
        try say("applied: servers follow within \(AppsFile.secondsToFollow) seconds")
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
        var sections: [any AppliedSection] = []
        for store in App.sections { sections.append(try await applied(store.init(db: db))) }
        try put(AppsFile.yaml(of: sections))
        await db.close()
    }

    private func applied(_ store: some SectionStore) async throws -> any AppliedSection {
        try await store.applied()
    }
}
