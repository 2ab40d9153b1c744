import ArgumentParser
import Foundation
import Kith
import Operations
import Postgres

/// `kith export all`: writes a folder with everything that belongs to the operator.
extension Export {
    struct All: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "all",
            abstract:
                "Write users, names, relationships, invites and links into a folder, as `kith import all` reads it.",
            discussion: """
                One CSV file each, all as of one moment, and manifest.json, which is written last: it has the number of rows \
                of each file and the command that imports it. The server may keep working meanwhile. The folder must not \
                exist, or be empty, or hold only what an export left that was killed.

                Who invited whom and uids of deleted accounts are among it: keep it as you keep the database. Not among it: \
                keys, settings, webhooks, clicks, invites on their way through a store, dismissed suggestions, events, \
                the audit, and the answers of sign-ups; offers and their codes, purchases, what `kith apply` made true, \
                experiments, and counts of versions. docs/commands.md says why, of each table.

                Exit codes: 0 if the export is complete; 1 otherwise, without any of the files.
                """)

        @Argument(help: "The folder to write.")
        var folder: String

        func run() async throws {
            let files = try FolderOfExport(folder)
            let db = try await Environment().database(holdingSessionOf: "export")
            let line = ProgressLine()
            do {
                try await FullExportStore(db).run { file, lines, rows in
                    let all = try files.write(lines, rows: rows, to: file)
                    line.show("\(file.rawValue): \(all) rows", phase: file.rawValue)
                }
                try files.finish()
            } catch {
                line.end()
                files.discard()
                throw error
            }
            line.end()
            await db.close()
            for file in files.manifest { try say("\(file.name): \(file.rows) rows") }
        }
    }
}

/// The files while they are written. They have other names until all of them are complete and on disk.
private final class FolderOfExport {
    private struct Open {
        let handle: FileHandle
        var rows = 0
        var bytes = 0
    }

    private static let suffix = ".partial"
    private let folder: URL
    private var open: [ExportedFile: Open] = [:]

    init(_ path: String) throws {
        folder = URL(filePath: path)
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            for name in try FileManager.default.contentsOfDirectory(atPath: path) {
                guard name.hasSuffix(Self.suffix) else {
                    throw Failure("'\(path)' is not empty: it has '\(name)'; name a new folder")
                }
            }
        } catch let error as Failure {
            throw error
        } catch {
            throw Failure("cannot make the folder '\(path)': \(error.localizedDescription)")
        }
    }

    var manifest: [ExportManifest.File] {
        ExportedFile.allCases.compactMap { file in
            open[file].map { ExportManifest.File(file, rows: $0.rows, bytes: $0.bytes) }
        }
    }

    /// Writes lines. Returns how many rows the file has now.
    func write(_ lines: String, rows: Int, to file: ExportedFile) throws -> Int {
        var written = try open[file] ?? Open(handle: create(file.name))
        let bytes = Data(lines.utf8)
        try Self.writing(file.name) { try written.handle.write(contentsOf: bytes) }
        written.rows += rows
        written.bytes += bytes.count
        open[file] = written
        return written.rows
    }

    func finish() throws {
        for (file, written) in open { try Self.close(written.handle, file.name) }
        let last = try create(ExportManifest.name)
        let manifest = ExportManifest(
            manifest, version: "\(BuildInfo.version), commit \(BuildInfo.commit)", at: Date())
        try Self.writing(ExportManifest.name) { try last.write(contentsOf: manifest.json) }
        try Self.close(last, ExportManifest.name)
        // The manifest gets its name last.
        for name in open.keys.map(\.name) + [ExportManifest.name] {
            try Self.writing(name) {
                try FileManager.default.moveItem(at: partial(name), to: folder.appending(path: name))
            }
        }
    }

    /// Removes everything of an export that failed.
    func discard() {
        for name in ExportedFile.allCases.map(\.name) + [ExportManifest.name] {
            try? FileManager.default.removeItem(at: partial(name))
            try? FileManager.default.removeItem(at: folder.appending(path: name))
        }
    }

    private func partial(_ name: String) -> URL { folder.appending(path: name + Self.suffix) }

    private func create(_ name: String) throws -> FileHandle {
        let path = partial(name).path
        guard
            FileManager.default.createFile(
                atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]),
            let handle = FileHandle(forWritingAtPath: path)
        else { throw Failure("cannot write '\(path)'") }
        return handle
    }

    private static func close(_ handle: FileHandle, _ name: String) throws {
        try writing(name) {
            try handle.synchronize()
            try handle.close()
        }
    }

    private static func writing(_ name: String, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch {
            throw Failure("cannot write \(name): \(error.localizedDescription)")
        }
    }
}
