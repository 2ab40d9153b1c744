public import ArgumentParser
import Foundation
public import Kith
import Postgres

extension Import.OneSided: ExpressibleByArgument {}

/// `kith import`: imports users, usernames and friendships from another system.
struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import users, their earlier usernames, and friendships from CSV files.",
        discussion: """
            A file is CSV in UTF-8 with a header line; columns may be in any order. Write times as \
            2026-01-31T12:00:00Z. Each file is one transaction, on a Citus cluster, too: all of its valid lines are \
            imported, or nothing is. \
            Invalid lines are refused and reported. A file that is not such CSV is refused as a whole, and the error \
            names the line. Importing the same file again changes nothing.

            A running server keeps serving, and sees the import once it is complete. While rows are written, \
            sign-ups and renames (for users and usernames) or changes of friendships (for friendships) wait; a call \
            that waits for more than 1.5 seconds gets a 503.

            Exit codes: 0 if the file was imported, even if lines were refused; 1 if nothing was imported.
            """,
        subcommands: [Users.self, Usernames.self, Friendships.self])

    struct Users: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "uid,username[,display_name][,created_at]: new users.")

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
            abstract: "uid,friend_uid[,since]: pairs of friends. A pair may be listed by one side or both.")

        @OptionGroup var file: ImportedFile

        @Option(help: "How to import a pair that only one side lists: friends, request or refuse.")
        var oneSided = Import.OneSided.friends

        func run() async throws {
            try await file.run(.friendships(oneSided: oneSided))
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
        let environment = try Environment()
        let input = try open()
        let db = try await environment.database(holdingSessionOf: "import")
        let pending = try await Migrator(db).status().pending
        guard pending.isEmpty else { throw Failure("\(MigrationError.pending(pending.map(\.fileName)))") }

        let (line, size) = (ProgressLine(), size)
        let report: ImportReport
        do {
            report = try await ImportStore(db, environment.config).run(
                kind, isDryRun: dryRun, progress: { Self.show($0, of: kind, size: size, on: line) },
                from: { try await input.next() })
        } catch let error as ImportError {
            line.end()
            throw Failure("\(file): \(error)")
        } catch {
            line.end()
            throw error
        }
        line.end()
        await db.close()
        try say("\(kind.name): \(report)\(dryRun ? "\ndry run: nothing was written" : "")")
    }

    private static func show(_ progress: ImportProgress, of kind: Import, size: Int?, on line: ProgressLine) {
        switch progress {
        case .reading(let bytes):
            let share = size.map { $0 > 0 ? " of \($0 >> 20) MiB (\(bytes * 100 / $0) %)" : "" } ?? " MiB"
            line.show("\(kind.name): reading, \(bytes >> 20)\(share)", phase: "reading")
        case .working(let phase, let rows):
            line.show("\(kind.name): \(phase), \(rows) rows", phase: phase)
        }
    }

    private var size: Int? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: file)
        guard attributes?[.type] as? FileAttributeType == .typeRegular else { return nil }
        return attributes?[.size] as? Int
    }

    private func open() throws -> Chunks {
        if file == "-" { return Chunks(FileHandle.standardInput) }
        guard let handle = FileHandle(forReadingAtPath: file) else {
            throw Failure("cannot read '\(file)'")
        }
        return Chunks(handle)
    }
}

/// Reads a file on a queue of its own, since reading a pipe may block.
private struct Chunks {
    private static let size = 256 * 1024
    private let handle: FileHandle
    private let queue = DispatchQueue(label: "kith.import")

    init(_ handle: FileHandle) {
        self.handle = handle
    }

    /// Nil at the end.
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
