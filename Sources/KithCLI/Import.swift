import ArgumentParser
import Foundation
import Imports
import Kernel
import Kith
import Links
import Operations
import Postgres

extension Import.OneSided: ExpressibleByArgument {}

/// `kith import`: imports users, usernames, friendships and links from another system.
struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import users, their earlier usernames, friendships, invites and links from CSV files.",
        discussion: """
            A file is CSV in UTF-8 with a header line; columns may be in any order. Write times as \
            2026-01-31T12:00:00Z. Each file is one transaction, on a Citus cluster, too: all of its valid lines are \
            imported, or nothing is. \
            Invalid lines are refused and reported. A file that is not such CSV is refused as a whole, and the error \
            names the line. Importing the same file again changes nothing.

            A running server keeps serving, and sees the import once it is complete. While rows are written, \
            sign-ups and renames (for users and usernames) or changes of friendships (for friendships) wait; a call \
            that waits for more than 1.5 seconds gets a 503. Links are imported beside all other calls.

            Exit codes: 0 if the file was imported, even if lines were refused; 1 if nothing was imported.
            """,
        subcommands: [
            Users.self, Usernames.self, Friendships.self, FDL.self, OfferCodes.self, All.self,
            NameStates.self,
            Relationships.self,
            Invites.self, InviteUses.self, Inviters.self,
        ])

    struct Users: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "users", abstract: "uid,username[,display_name][,created_at]: new users.",
            discussion: """
                Further columns, as `kith export all` writes them: username_since (when they took the username), avatar_url, \
                metadata (a JSON object of strings), status (active, suspended or deleted; of a deleted account only the uid \
                is kept, so that nobody gets it again), reason (of a suspension), invites (auto, ask or off), frozen_at, \
                frozen_reason and history_complete (true or false). An account with another status than the line says is \
                left as it is, and reported.
                """)

        @OptionGroup var file: ImportedFile

        @Flag(
            help:
                "Also accept usernames that users may not choose: other characters, too long, reserved. Never . or .."
        )
        var keepNames = false

        @Flag(help: "These users never had other usernames, or the file of those usernames follows.")
        var historyComplete = false

        func run() async throws {
            try await file.run(.users(keepNames: keepNames, historyComplete: historyComplete))
        }
    }

    struct Usernames: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "usernames",
            abstract: "uid,username,valid_from,valid_to[,severed]: earlier usernames of users.")

        @OptionGroup var file: ImportedFile

        @Flag(help: "This file completes the earlier usernames of the users in it.")
        var complete = false

        func run() async throws {
            try await file.run(.usernames(complete: complete))
        }
    }

    struct Friendships: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "friendships",
            abstract: "uid,friend_uid[,since]: pairs of friends. A pair may be listed by one side or both.")

        @OptionGroup var file: ImportedFile

        @Option(help: "How to import a pair that only one side lists: friends, request or refuse.")
        var oneSided = Import.OneSided.friends

        func run() async throws {
            try await file.run(.friendships(oneSided: oneSided))
        }
    }

    struct FDL: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "fdl",
            abstract:
                "Google's export of Firebase Dynamic Links, or what `kith export links` wrote: short links.",
            discussion: """
                Google's 29 columns in their order, whatever the header calls them, or named columns in any order, of which \
                short_link and link must be there. A short link keeps its domain, which KITH_LINK_DOMAINS must have, and its \
                path. Its parameters are kept as they are; the report has a line for each that does not hold now, and what to \
                set, after which it works without a second import. A link that leads where KITH_LINK_TARGETS does not let it is \
                refused, and so is one whose path leads elsewhere already: nothing is overwritten.
                """)

        @OptionGroup var file: ImportedFile

        func run() async throws {
            try await file.run("fdl") { db, config, isDryRun, progress, file in
                try await ShortLinkImportStore(db, config).run(
                    isDryRun: isDryRun, progress: progress, from: { try await file.next() })
            }
        }
    }
}

/// The file of an import, and whether it is a dry run.
struct ImportedFile: ParsableArguments {
    @Argument(help: "The file, or - for standard input.")
    var file: String

    @Flag(help: "Run the import, roll it back, and print the report.")
    var dryRun = false

    func run(_ kind: Import) async throws {
        try await run(kind.name) { db, config, isDryRun, progress, file in
            try await ImportStore(db, config).run(
                kind, isDryRun: isDryRun, progress: progress, from: { try await file.next() })
        }
    }

    func run(
        _ name: String,
        _ importing: (
            Database, Config, _ isDryRun: Bool, @escaping @Sendable (ImportProgress) -> Void, Chunks
        ) async throws -> ImportReport
    ) async throws {
        let environment = try Environment()
        let input = try open()
        let db = try await Self.database(environment)
        let report = try await self.report(name, input) {
            try await importing(db, environment.config, dryRun, $0, input)
        }
        await db.close()
        try say("\(name): \(report)\(dryRun ? "\ndry run: nothing was written" : "")")
    }

    static func database(_ environment: Environment) async throws -> Database {
        let db = try await environment.database(holdingSessionOf: "import")
        let pending = try await Migrator(db).status().pending
        guard pending.isEmpty else { throw Failure("\(MigrationError.pending(pending.map(\.fileName)))") }
        return db
    }

    /// Shows the progress of an import, and names the file in its error.
    func report(
        _ name: String, _ input: Chunks,
        _ importing: (@escaping @Sendable (ImportProgress) -> Void) async throws -> ImportReport
    ) async throws -> ImportReport {
        let (line, size) = (ProgressLine(), size)
        defer { line.end() }
        do {
            return try await importing { Self.show($0, of: name, size: size, on: line) }
        } catch let error as ImportError {
            throw Failure("\(file): \(error)")
        }
    }

    private static func show(
        _ progress: ImportProgress, of name: String, size: Int?, on line: ProgressLine
    ) {
        switch progress {
        case .reading(let bytes):
            let share = size.map { $0 > 0 ? " of \($0 >> 20) MiB (\(bytes * 100 / $0) %)" : "" } ?? " MiB"
            line.show("\(name): reading, \(bytes >> 20)\(share)", phase: "reading")
        case .working(let phase, let rows):
            line.show("\(name): \(phase), \(rows) rows", phase: phase)
        case .writing(let rows, let all):
            line.show("\(name): writing, \(rows) of \(all) rows (\(rows * 100 / all) %)", phase: "writing")
        case .found(let text):
            line.clear()
            // If nobody can read the report, the import still goes on.
            try? say(text)
        }
    }

    private var size: Int? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: file)
        guard attributes?[.type] as? FileAttributeType == .typeRegular else { return nil }
        return attributes?[.size] as? Int
    }

    func open() throws -> Chunks {
        if file == "-" { return Chunks(FileHandle.standardInput) }
        guard let handle = FileHandle(forReadingAtPath: file) else {
            throw Failure("cannot read '\(file)'")
        }
        return Chunks(handle)
    }
}

/// Reads a file on its own queue, since reading a pipe may block.
struct Chunks {
    private static let size = 256 * 1024
    private let handle: FileHandle
    private let queue = DispatchQueue(label: "kith.import")

    init(_ handle: FileHandle) {
        self.handle = handle
    }

    /// Returns the next chunk. Nil at the end.
    func next() async throws -> [UInt8]? {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { [handle] in
                continuation.resume(
                    with: Result {
                        guard let data = try handle.read(upToCount: Self.size), !data.isEmpty else {
                            return nil
                        }
                        return Array(data)
                    })
            }
        }
    }
}
