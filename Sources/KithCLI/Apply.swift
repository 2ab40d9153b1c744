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
            docs/rewards.md have them. Prints what changes, then publishes it. Servers follow within seconds, without a restart. What the file does \
            not name stays as it is, unless --prune is given. `kith config` shows what is set, and its history.

            Exit codes: 0 if it is published, or nothing changes; 1 if the file is wrong, needs --force, or somebody else published meanwhile, \
            also with --dry-run; 2 for wrong usage.
            """)

    @Argument(help: "The file, in YAML; - for standard input.", completion: .file())
    var file: String

    @Flag(help: "Remove what the sections of the file do not name.")
    var prune = false

    @Option(
        help: ArgumentHelp(
            "Publish only over this revision, as `kith config show` prints it.", valueName: "revision"))
    var expect: Int64?

    @OptionGroup var options: PublicationOptions

    @OptionGroup var place: ConfigPlaceOptions

    func validate() throws { try place.validate(options) }

    func run() async throws {
        if let server = try place.namedServer() { return try await publish(at: server) }
        let environment = try Environment()
        let db = try await environment.database()
        let publisher = Publisher(db: db, config: environment.config)
        let state = try await publisher.state()
        let former = prune ? AppliedSections() : state.sections
        let wanted = try read { try AppsFile(yaml: $0, folder: $1, config: environment.config, over: former) }
        let plan = try await publisher.plan(wanted.sections, over: state.revision)
        try await ConfigDatabase(publisher: publisher).publish(
            plan, from: .file, options, expecting: expect
        ) {
            for gap in wanted.sections[AppliedApps.self]?.gaps(over: environment.config) ?? [] {
                try say("warning: \(gap)")
            }
        }
        await db.close()
    }

    private func publish(at server: ConfigServer) async throws {
        let wanted = try read { try AppsFile.sections(yaml: $0, folder: $1) }
        let state = try await server.state(nil)
        let removed = prune ? state.sections.items.keys.filter { wanted[item: $0] == nil } : []
        try await server.publish(
            wanted, removing: removed, over: state.revision, options, expecting: expect)
    }

    private func read<Content>(_ content: (_ yaml: String, _ folder: URL) throws -> Content) throws -> Content
    {
        let handle = file == "-" ? FileHandle.standardInput : FileHandle(forReadingAtPath: file)
        guard let handle, let bytes = try? handle.read(upToCount: AppsFile.mostBytes + 1) ?? Data() else {
            throw Failure("cannot read '\(file)'")
        }
        guard bytes.count <= AppsFile.mostBytes else { throw Failure("'\(file)' has more than 3 MiB") }
        guard let text = String(data: bytes, encoding: .utf8) else { throw Failure("'\(file)' is not UTF-8") }
        do {
            let folder = file == "-" ? "." : URL(filePath: file).deletingLastPathComponent().path
            return try content(text, URL(filePath: folder))
        } catch let error as ConfigError {
            throw Failure(error.mistakes.joined(separator: "\n"))
        }
    }
}
