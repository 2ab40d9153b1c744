import ArgumentParser
import Foundation
import Graph
import Kernel
import Kith
import Postgres

/// `kith restored`: does what must follow after a backup was restored, or the database was moved.
struct Restored: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restored",
        abstract:
            "Do what a restored backup needs: deletions and revocations again, people sign in anew, and every phone loads its friends anew.",
        discussion: """
            A backup brings back accounts that were deleted since, and keys that were revoked. With the files of \
            KITH_ERASURE_LOG (--repeat) they go again. Then this shows the keys in force, and asks. Everybody is signed \
            out of the console, and links to sign in no longer work; look through `kith person list` yourself.

            A phone may know friends that the backup does not. Its next GET /v1/me/changes answers \
            410 reload_required. Kith notices by itself that a dump was restored (pg_restore); it cannot notice a \
            physical backup, a snapshot of a disk, or a standby that lagged when it was promoted. A second call \
            has them load once more.

            After pg_upgrade, or a switch to a replica that had everything, --nothing-lost lets phones go on without that.
            """)

    @Option(
        name: .customLong("repeat"),
        help: ArgumentHelp(
            "Do again what this file of KITH_ERASURE_LOG says. May be given several times.", valueName: "file"
        ))
    var files: [String] = []

    @Flag(help: "Do not ask whether the keys in force should stay so.")
    var yes = false

    @Flag(help: "The database is another server now, and has every write that was answered.")
    var nothingLost = false

    func validate() throws {
        if nothingLost, yes || !files.isEmpty {
            throw ValidationError("--nothing-lost stands alone: what was not lost need not be repeated")
        }
    }

    func run() async throws {
        let environment = try Environment()
        let db = try await environment.database()
        if nothingLost {
            guard try await RestoreStore(db: db).adopt() else {
                throw Failure(
                    "phones know this database already, or no `kith serve` ever noted another: nothing was changed"
                )
            }
            try say("phones go on as before")
            return await db.close()
        }
        // All files are read before anything is done.
        let erasures = try files.map { try ($0, Self.read($0)) }
        for (file, lines) in erasures {
            try await repeatAll(lines, of: file, ErasureRepeating(db, environment.config))
        }
        try await confirmKeys(APIKeyStore(db: db))
        let ended = try await SessionStore(db: db).endAll(by: .thisCommand, at: Date())
        try say("everybody must sign in at the console anew: \(ended) sessions ended")
        try await RestoreStore(db: db).forgetPhones()
        try say("every phone will load its friends anew")
        await db.close()
    }

    private static func read(_ file: String) throws -> [Substring] {
        guard let text = try? String(contentsOfFile: file, encoding: .utf8) else {
            throw Failure("cannot read '\(file)'")
        }
        let lines = text.split(whereSeparator: \.isNewline)
        guard !lines.allSatisfy(isCut) else { throw Failure("'\(file)' has no line of an erasure log") }
        return lines
    }

    /// Whether a crash cut the line, which then comes again in full further on.
    private static func isCut(_ line: Substring) -> Bool { line.hasPrefix("{") && !line.hasSuffix("}") }

    private func repeatAll(_ lines: [Substring], of file: String, _ repeating: ErasureRepeating) async throws
    {
        var (deleted, revoked, known, unknown) = (0, 0, 0, 0)
        var unread: [Int] = []
        for (index, line) in lines.enumerated() {
            guard let erasure = Erasure(line: line) else {
                unread.append(index + 1)
                continue
            }
            switch try await repeating.take(erasure) {
            case .repeated where erasure.deleted != nil: deleted += 1
            case .repeated: revoked += 1
            case .known: known += 1
            case .unknown: unknown += 1
            }
        }
        try say(
            "\(file): \(deleted) accounts deleted again, \(revoked) keys revoked again, \(known) were so already, "
                + "\(unknown) are not in this database, \(unread.count) lines cannot be read")
        let strange = unread.filter { !Self.isCut(lines[$0 - 1]) }
        guard strange.isEmpty else {
            let places = strange.prefix(5).map(String.init).joined(separator: ", ")
            throw Failure(
                "\(file): lines of another kind, as line \(places): look whom they are about, mend or remove them, and run this again"
            )
        }
    }

    private func confirmKeys(_ store: APIKeyStore) async throws {
        let keys = try await store.list().filter(\.isInForce)
        guard !keys.isEmpty else { return }
        try say("in force:")
        for key in keys { try say("  \(Key.List.line(key))") }
        guard !yes else { return }
        try say(
            "A key that was revoked since the backup is in force again. Should all of these stay in force? [y/N]"
        )
        guard ["y", "yes"].contains(readLine()?.lowercased()) else {
            throw Failure(
                "revoke those that should not by `kith key revoke ID`, then run this again; --yes does not ask"
            )
        }
    }
}
