import Foundation
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Imports
@testable import Kernel
@testable import Kith
@testable import Operations

/// The commands `kith export all` and `kith import all`.
@Suite(.inTurns) struct ExportCommandTests {
    private struct Stage {
        let folder: URL
        let url: String

        func path(_ name: String) -> String { folder.appending(path: name).path }

        func kith(_ arguments: String..., on url: String? = nil) throws -> KithCommand {
            try KithCommand(
                arguments,
                [
                    "KITH_DATABASE_URL": url ?? self.url, "KITH_LINK_DOMAINS": "https://go.example.com",
                    "KITH_LINK_TARGETS": "example.com",
                ])
        }

        func names(in folder: String) throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: path(folder)).sorted()
        }
    }

    private func run(_ test: (Stage) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "kith-export-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await test(Stage(folder: folder, url: TestPostgres.shared.migratedDatabase()))
    }

    /// Users `n1`, `n2`, …, and a short link.
    private func fill(_ url: String, users: Int) async throws {
        try await TestApp.run(configure: {
            TestApp.withEverything(&$0)
            $0.database.url = url
        }) { app in
            let csv = "uid,username\n" + (1...users).map { "u-\($0),n\($0)\n" }.joined()
            #expect(
                try await app.import(.users(keepNames: true, historyComplete: true), csv, chunk: 65_536)
                    .imported == users)
            _ = try await app.importFriendships("uid,friend_uid\nu-1,u-2\n")
            let made = try await app.post(
                "/v1/links", as: nil, headers: app.keyed(.server),
                ["parameters": ["link": "https://example.com/"]])
            #expect(made.status == 201, "\(made.text)")
        }
    }

    private static let whole = (ExportedFile.allCases.map(\.name) + [ExportManifest.name]).sorted()

    @Test func `a folder is written, imported elsewhere, sound, and the same when it is written again`()
        async throws
    {
        try await run { stage in
            try await fill(stage.url, users: 3)
            let written = try await stage.kith("export", "all", stage.path("a")).run()
            #expect(written.status == 0, "\(written.error)")
            #expect(
                written.output.hasPrefix("users.csv: 3 rows\nname-states.csv: 0 rows\n"), "\(written.output)")
            #expect(try stage.names(in: "a") == Self.whole)
            let modes = try FileManager.default.attributesOfItem(atPath: stage.path("a/users.csv"))
            #expect(modes[.posixPermissions] as? Int == 0o600)

            let other = try await TestPostgres.shared.migratedDatabase()
            let read = try await stage.kith("import", "all", stage.path("a"), on: other).run()
            #expect(
                read.output == """
                    users: 3 lines, 3 imported
                    friendships: 1 line, 1 imported
                    links: 1 line, 1 imported
                    all files were imported

                    """, "\(read.error)")
            #expect(try await stage.kith("verify", on: other).run().status == 0)
            #expect(try await stage.kith("export", "all", stage.path("b"), on: other).run().status == 0)
            for name in Self.whole where name != ExportManifest.name {
                let one = FileManager.default.contents(atPath: stage.path("a/\(name)"))
                #expect(one == FileManager.default.contents(atPath: stage.path("b/\(name)")), "\(name)")
            }
            let again = try await stage.kith("import", "all", stage.path("a"), on: other).run()
            #expect(again.status == 0 && again.output.contains("users: 3 lines, 0 imported"), "\(again)")
        }
    }

    @Test func `the commands in the manifest import file by file`() async throws {
        try await run { stage in
            try await fill(stage.url, users: 2)
            #expect(try await stage.kith("export", "all", stage.path("a")).run().status == 0)
            let json = try #require(FileManager.default.contents(atPath: stage.path("a/manifest.json")))
            let manifest = try #require(ExportManifest(json: json))
            #expect(manifest.version == "\(BuildInfo.version), commit \(BuildInfo.commit)")
            let other = try await TestPostgres.shared.migratedDatabase()
            for file in manifest.files where file.rows > 0 {
                let done = try await KithCommand(
                    shell:
                        "cd '\(stage.path("a"))' && \(file.command.replacing("kith ", with: "\"$KITH\" "))",
                    [
                        "KITH_DATABASE_URL": other, "KITH_LINK_DOMAINS": "https://go.example.com",
                        "KITH_LINK_TARGETS": "example.com",
                    ]
                ).run()
                #expect(done.status == 0 && done.output.contains("\(file.rows) imported"), "\(done)")
            }
        }
    }

    @Test func `a folder that holds anything is refused, and so is one that cannot be written`() async throws
    {
        try await run { stage in
            try await fill(stage.url, users: 1)
            try FileManager.default.createDirectory(
                atPath: stage.path("a"), withIntermediateDirectories: true)
            try Data().write(to: stage.folder.appending(path: "a/mine.txt"))
            let full = try await stage.kith("export", "all", stage.path("a")).run()
            #expect(
                full.status == 1 && full.error.contains("is not empty: it has 'mine.txt'; name a new folder"))
            #expect(try stage.names(in: "a") == ["mine.txt"])
            let file = try await stage.kith("export", "all", stage.path("a/mine.txt")).run()
            #expect(file.status == 1 && file.error.contains("cannot make the folder"), "\(file.error)")
            // What a killed export left is no obstacle.
            try FileManager.default.createDirectory(
                atPath: stage.path("b"), withIntermediateDirectories: true)
            try Data("x".utf8).write(to: stage.folder.appending(path: "b/users.csv.partial"))
            #expect(try await stage.kith("export", "all", stage.path("b")).run().status == 0)
            #expect(try stage.names(in: "b") == Self.whole)
        }
    }

    @Test func `an export whose connection is cut leaves no file, and exits with 1`() async throws {
        try await run { stage in
            try await fill(stage.url, users: 60_000)
            let export = try stage.kith("export", "all", stage.path("a"))
            try export.start()
            let db = try Database(Database.Configuration(url: stage.url))
            try await waitUntil("it was cut off") {
                try await db.write.first(
                    """
                    SELECT count(pg_terminate_backend(pid)) > 0 FROM pg_stat_activity
                    WHERE datname = current_database() AND application_name = 'kith exclusive'
                      AND query LIKE 'FETCH%'
                    """
                ) { try $0.next() } ?? false
            }
            await db.close()
            let outcome = await export.exit()
            #expect(outcome.status == 1 && outcome.output == "", "\(outcome)")
            #expect(try stage.names(in: "a") == [])
        }
    }

    @Test func `an export that is killed leaves nothing that counts as a file`() async throws {
        try await run { stage in
            try await fill(stage.url, users: 60_000)
            let export = try stage.kith("export", "all", stage.path("a"))
            try export.start()
            try await waitUntil("it writes") {
                FileManager.default.fileExists(atPath: stage.path("a/users.csv.partial"))
            }
            kill(export.id, SIGKILL)
            #expect(await export.exit().output == "")
            #expect(try stage.names(in: "a").allSatisfy { $0.hasSuffix(".partial") })
            let read = try await stage.kith("import", "all", stage.path("a")).run()
            #expect(read.status == 1 && read.error.contains("has no manifest.json"), "\(read.error)")
            #expect(try await stage.kith("export", "all", stage.path("a")).run().status == 0)
            #expect(try stage.names(in: "a") == Self.whole)
        }
    }

    @Test func `a folder that was copied in part imports nothing`() async throws {
        try await run { stage in
            try await fill(stage.url, users: 3)
            #expect(try await stage.kith("export", "all", stage.path("a")).run().status == 0)
            let file = stage.path("a/friendships.csv")
            let csv = try #require(FileManager.default.contents(atPath: file))
            try csv.dropLast(5).write(to: URL(filePath: file))
            let other = try await TestPostgres.shared.migratedDatabase()
            let cut = try await stage.kith("import", "all", stage.path("a"), on: other).run()
            #expect(
                cut.status == 1 && cut.output == "" && cut.error.contains("copy the folder again"), "\(cut)")
            let nothing = try await stage.kith("import", "all", stage.path("nowhere"), on: other).run()
            #expect(nothing.status == 1 && nothing.error.contains("has no manifest.json"))
        }
    }
}
