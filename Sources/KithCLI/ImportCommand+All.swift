import ArgumentParser
import Foundation
import Imports
import Kernel
import Kith
import Links
import Operations
import Postgres

/// `kith import all`, and the files of `kith export all` that other systems do not have.
extension ImportCommand {
    struct All: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "all", abstract: "A folder of `kith export all`, file by file.",
            discussion: """
                Each file is one transaction, in the order of manifest.json. If one fails, those before it are imported: mend \
                what the error names, and run it again. A second run changes nothing. Nobody is overwritten, so a database \
                that has other users keeps them, and lines that contradict them are refused and reported. Start no server \
                on the database before this is done: blocks must be there before anybody can ask.

                Exit codes: 0 if every file was imported, even if lines were refused; 1 otherwise.
                """)

        @Argument(help: "The folder.")
        var folder: String

        func run() async throws {
            let environment = try Environment()
            let files = try manifest()
            let db = try await ImportedFile.database(environment)
            if files.contains(where: { $0.name == ExportedFile.links.name && $0.rows > 0 }),
                try await !ShortLinkImportStore(db, environment.config).hasDomains
            {
                throw Failure("\(ShortLinkImportStore.needsDomains); nothing was imported")
            }
            var refused = 0
            for file in ExportedFile.allCases {
                guard let known = files.first(where: { $0.name == file.name }), known.rows > 0 else {
                    continue
                }
                let report = try await run(file, db, environment.config)
                refused += report.findings.reduce(0) { $0 + ($1.reason.kind == .refused ? $1.count : 0) }
                try say("\(file.rawValue): \(report)")
            }
            await db.close()
            try say(
                refused == 0
                    ? "all files were imported" : "all files were imported, but for refused lines: \(refused)"
            )
        }

        private func run(_ file: ExportedFile, _ db: Database, _ config: Config) async throws -> ImportReport
        {
            let imported = ImportedFile(path(file.name))
            let input = try imported.open()
            return try await imported.report(file.rawValue, input) { progress in
                guard let kind = file.kind else {
                    return try await ShortLinkImportStore(db, config).run(
                        progress: progress, from: { try await input.next() })
                }
                return try await ImportStore(db, config).run(
                    kind, progress: progress, from: { try await input.next() })
            }
        }

        private func path(_ name: String) -> String { URL(filePath: folder).appending(path: name).path }

        /// Returns the files, which must be as long as they were when they were written.
        private func manifest() throws -> [ExportManifest.File] {
            guard let json = FileManager.default.contents(atPath: path(ExportManifest.name)) else {
                throw Failure(
                    "'\(folder)' has no \(ExportManifest.name): it is no folder of `kith export all`, or the export did not end"
                )
            }
            guard let manifest = ExportManifest(json: json) else {
                throw Failure("'\(path(ExportManifest.name))' is not what `kith export all` wrote")
            }
            for file in manifest.files {
                guard ExportedFile.allCases.contains(where: { $0.name == file.name }) else {
                    throw Failure(
                        "this kith does not know '\(file.name)': take the version that wrote it, \(manifest.version)"
                    )
                }
                let size = try? FileManager.default.attributesOfItem(atPath: path(file.name))[.size] as? Int
                guard size == file.bytes else {
                    throw Failure(
                        "'\(path(file.name))' has \(size.map { "\($0)" } ?? "no") bytes, not \(file.bytes): copy the folder again"
                    )
                }
            }
            return manifest.files
        }
    }

    struct NameStates: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "name-states",
            abstract:
                "username,state[,uid][,held_until]: names that nobody has now: held, reserved or released.")

        @OptionGroup var file: ImportedFile

        func run() async throws { try await file.run(.nameStates) }
    }

    struct Relationships: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "relationships",
            abstract: "uid,other_uid and what the one did to the other: asked, blocked, declined, ended.",
            discussion: """
                Columns: friends_since (of two of whom one is suspended, on a line of each), asked_at, shown_at (when the \
                request showed to the other; empty if it is hidden), blocked_at, declines, quiet_until, ended_at. Two who \
                have anything between them already stay as they are. The limits of friends and requests do not apply.
                """)

        @OptionGroup var file: ImportedFile

        func run() async throws { try await file.run(.relationships) }
    }

    struct Invites: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "invites",
            abstract: "code,uid,kind[,…]: short codes of permanent links (personal), and custom links.",
            discussion:
                "Columns: mode (auto or ask), label, note, max_uses, expires_at, revoked_at, created_at.")

        @OptionGroup var file: ImportedFile

        func run() async throws { try await file.run(.invites) }
    }

    struct InviteUses: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "invite-uses", abstract: "code,uid[,used_at]: who used which link.")

        @OptionGroup var file: ImportedFile

        func run() async throws { try await file.run(.inviteUses) }
    }

    struct Inviters: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "inviters",
            abstract: "uid,inviter_uid[,code][,accepted_at]: who joined by whose invite.")

        @OptionGroup var file: ImportedFile

        func run() async throws { try await file.run(.inviters) }
    }
}

extension ImportedFile {
    fileprivate init(_ path: String) {
        self.init()
        (file, dryRun) = (path, false)
    }
}
