public import ArgumentParser
import Foundation
public import Kith
import Postgres

extension Import.OneSided: ExpressibleByArgument {}

/// `kith import`: brings in what another system knows.
struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Bring in users, their earlier usernames, and friendships, from CSV files.",
        discussion: """
            A file is CSV in UTF-8 with a header line; columns may be in any order. Times are as in \
            2026-01-31T12:00:00Z. A file is one transaction: it is imported once, or nothing of it is. Lines that \
            cannot be taken are refused and reported, and the others are imported; a file that is no such CSV \
            is refused whole, with its line. The same file again changes nothing.

            A running server goes on meanwhile and sees the import when all of it is there. While rows are \
            written, sign-ups and renames wait (users, usernames) or what changes friendships (friendships); who \
            waits for more than five seconds gets a 503.

            Exit codes: 0 imported, also where lines were refused; 1 nothing was imported, and why.
            """,
        subcommands: [Users.self, Usernames.self, Friendships.self])

    struct Users: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "uid,username[,display_name][,created_at]: new users.")

        @OptionGroup var file: ImportedFile

        @Flag(
            help:
                "Also take usernames that nobody may choose here: other characters, too long, reserved. Never . or .."
        )
        var keepNames = false

        @Flag(help: "These users never had other names, or the file of their usernames follows.")
        var historyComplete = false

        func run() async throws {
            try await file.run(.users(keepNames: keepNames, historyComplete: historyComplete))
        }
    }

    struct Usernames: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "uid,username,valid_from,valid_to[,severed]: names that users had before.")

        @OptionGroup var file: ImportedFile

        @Flag(help: "With this file, all earlier names of the users in it are known.")
        var complete = false

        func run() async throws {
            try await file.run(.usernames(complete: complete))
        }
    }

    struct Friendships: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "uid,friend_uid[,since]: the two are friends. A pair may come from one side or both.")

        @OptionGroup var file: ImportedFile

        @Option(help: "What becomes of a pair that one side alone lists: friends, request or refuse.")
        var oneSided = Import.OneSided.friends

        func run() async throws {
            try await file.run(.friendships(oneSided: oneSided))
        }
    }
}

/// The file of an import, and how it is taken.
struct ImportedFile: ParsableArguments {
    @Argument(help: "The file; - is standard input.")
    var file: String

    @Flag(help: "Do all of it, take it back, and show the report.")
    var dryRun = false

    func run(_ kind: Import) async throws {
        let environment = try Environment()
        let input = try open()
        let db = try await environment.database()
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
            throw Failure("'\(file)' cannot be read")
        }
        return Chunks(handle)
    }
}

/// Reads a file on a queue of its own, since a pipe may keep one waiting.
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
