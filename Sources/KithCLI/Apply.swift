import ArgumentParser
import Foundation
import Kith
import Postgres

/// `kith apply`: several apps and stages on one server.
struct Apply: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make true what a file says of your apps and their stages.",
        discussion: """
            The file names apps, and for each the hosts of its links, its stores and what opens them: docs/operations.md has one. \
            Prints what changes, then changes it. Servers follow within seconds, without a restart. What the file does not name \
            goes. `kith apps` prints what is applied, as such a file.

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
        let store = AppliedStore(db: try await environment.database())
        let found = try await store.read() ?? .init()
        let changes = found.apps.changes(to: wanted.apps)
        for change in changes { try say(change) }
        guard !changes.isEmpty else { return try say("nothing changes") }
        guard !dryRun else { return try say("nothing was changed: without --dry-run it would be") }
        guard try await store.write(wanted.apps, over: found.version) else {
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
        abstract: "Print the apps that `kith apply` made true, as its file.")

    func run() async throws {
        let db = try await Environment().database()
        let applied = try await AppliedStore(db: db).read() ?? .init()
        try say(AppsFile.yaml(of: applied.apps))
        await db.close()
    }
}
