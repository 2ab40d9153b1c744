import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Events
@testable import Graph
@testable import Kernel
@testable import Kith
@testable import Web

/// `KITH_ERASURE_LOG`, and what `kith restored --repeat` makes of it.
@Suite(.inTurns) struct ErasureTests {
    private func withFile(_ test: (AppendOnlyFile) async throws -> Void) async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "kith-erased-\(UUID().uuidString)")
            .path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await test(AppendOnlyFile(path: path))
    }

    private func lines(_ file: AppendOnlyFile) throws -> [Erasure] {
        try file.lastLines().compactMap { Erasure(line: $0) }
    }

    private func id(_ uid: String) -> UUID { User.ID(of: User.UID(stored: uid)).uuid }

    @Test func `a line that was cut is left alone, and the next one begins anew`() async throws {
        try await withFile { file in
            #expect(try file.lastLines().isEmpty)
            try file.append([])
            #expect(!FileManager.default.fileExists(atPath: file.path))
            try file.append(["one", "two"])
            let handle = try #require(FileHandle(forWritingAtPath: file.path))
            try handle.seekToEnd()
            try handle.write(contentsOf: Data("thr".utf8))
            #expect(try file.lastLines() == ["one", "two"])
            try file.append(["four"])
            #expect(try file.lastLines() == ["one", "two", "thr", "four"])
            #expect(try file.lastLines(bytes: 6).last == "four")
            let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
    }

    @Test func `a line is an account or a key, and nothing else`() {
        let deleted = Erasure(deleted: User.ID(id("u-ann")), event: 7, at: Date(timeIntervalSince1970: 1))
        let revoked = Erasure(revoked: "k", at: Date(timeIntervalSince1970: 2))
        for erasure in [deleted, revoked] { #expect(Erasure(line: erasure.line) == erasure) }
        for line in ["", "{}", #"{"at":1}"#, #"{"at":1,"deleted":"x"}"#, String(deleted.line.dropLast())] {
            #expect(Erasure(line: line) == nil, "\(line)")
        }
        #expect(!deleted.line.contains("ann"), "it names nobody")
    }

    @Test func `deletions and revocations are written, once, also by a server that begins again`()
        async throws
    {
        try await withFile { file in
            try await TestApp.run { app in
                for name in ["ann", "bob", "cat"] { try await app.signUp(name) }
                let key = try await APIKeyStore(db: app.db).create(name: "x", scope: .admin)
                let keyID = try #require(APIKey(key)?.id)
                let (store, events) = (ErasureStore(db: app.db), EventStore(db: app.db))
                var log = ErasureLog(file, store)

                _ = try await app.call(.delete, "/v1/me", as: "u-ann")
                try await log.follow(to: events.number())
                try await log.noteKeys()
                #expect(try lines(file).map(\.deleted) == [id("u-ann")])
                _ = try await APIKeyStore(db: app.db).revoke(keyID)
                try await log.noteKeys()
                try await log.noteKeys()
                #expect(try lines(file).compactMap(\.revoked) == [keyID])

                // Killed, after a deletion that it did not see.
                _ = try await app.call(.delete, "/v1/me", as: "u-bob")
                let last = try await events.number()
                log = ErasureLog(file, store)
                try await log.follow(to: last)
                try await log.noteKeys()
                #expect(try lines(file).compactMap(\.deleted) == [id("u-ann"), id("u-bob")])
                #expect(try lines(file).compactMap(\.revoked) == [keyID])

                // Rotated: whoever goes on writes what is new, and whoever begins all that is kept.
                try FileManager.default.removeItem(atPath: file.path)
                _ = try await app.call(.delete, "/v1/me", as: "u-cat")
                try await log.follow(to: events.number())
                #expect(try lines(file).compactMap(\.deleted) == [id("u-cat")])
                try FileManager.default.removeItem(atPath: file.path)
                log = ErasureLog(file, store)
                try await log.follow(to: events.last())
                #expect(try lines(file).compactMap(\.deleted) == ["u-ann", "u-bob", "u-cat"].map(id))
            }
        }
    }

    @Test func `a server that begins before the first event asks nothing of the years before`() async throws {
        try await withFile { file in
            try await TestApp.run { app in
                var log = ErasureLog(file, ErasureStore(db: app.db))
                try await log.noteKeys()
                try await log.follow(to: 0)
                try await app.signUp("ann")
                _ = try await app.call(.delete, "/v1/me", as: "u-ann")
                let (begun, last) = (log, try await EventStore(db: app.db).number())
                let following = Task {
                    var log = begun
                    try await log.follow(to: last)
                }
                defer { following.cancel() }
                try await waitUntil("it is written") { try lines(file).map(\.deleted) == [id("u-ann")] }
            }
        }
    }

    @Test func `what a file could not take is written later`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            _ = try await app.call(.delete, "/v1/me", as: "u-ann")
            let folder = FileManager.default.temporaryDirectory.appending(path: "kith-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: folder) }
            let file = AppendOnlyFile(path: folder.appending(path: "erased").path)
            var log = ErasureLog(file, ErasureStore(db: app.db))
            let last = try await EventStore(db: app.db).number()
            await #expect(throws: AppendOnlyFile.Trouble.self) { try await log.follow(to: last) }
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try await log.follow(to: last)
            #expect(try lines(file).map(\.deleted) == [id("u-ann")])
        }
    }

    /// The backup has all accounts, one suspended, and a key in force; the file says what was deleted and
    /// revoked since.
    @Test func `kith restored repeats what the file says, shows the keys in force, and asks`() async throws {
        try await withFile { file in
            try await TestApp.run { app in
                for name in ["ann", "bob", "cat", "dan"] { try await app.signUp(name) }
                try await app.setStatus("suspended", of: "u-bob")
                try await app.setStatus("deleted", of: "u-dan")
                let keys = APIKeyStore(db: app.db)
                let revoked = try #require(APIKey(try await keys.create(name: "leaked", scope: .admin))?.id)
                let kept = try #require(APIKey(try await keys.create(name: "kept", scope: .server))?.id)
                let (at, users) = (Date(), ["u-ann", "u-bob", "u-dan", "u-never"])
                try file.append(
                    users.map { Erasure(deleted: User.ID(id($0)), event: 1, at: at).line }
                        + [
                            Erasure(revoked: revoked, at: at).line, Erasure(revoked: "gone", at: at).line,
                            "{\"at\":",
                        ])
                let environment = ["KITH_DATABASE_URL": app.app.config.database.url]
                let none = try await KithCommand(["restored", "--repeat", "/no/such"], environment).run()
                #expect(none.status == 1 && none.error.contains("cannot read '/no/such'"))

                let asked = try await KithCommand(["restored", "--repeat", file.path], environment).run()
                #expect(
                    asked.output.contains(
                        "2 accounts deleted again, 1 keys revoked again, 1 were so already, 2 are not in this database, 1 lines cannot be read"
                    ), "\(asked.output)")
                #expect(asked.output.contains(kept) && !asked.output.contains(revoked))
                #expect(asked.status == 1 && asked.error.contains("kith key revoke ID"), "nobody answered")
                for uid in ["u-ann", "u-bob"] {
                    #expect(try await app.get("/v1/me", as: uid).code == "account_deleted")
                }
                #expect(try await app.get("/v1/me", as: "u-cat").status == 200)
                #expect(try await app.count("audit WHERE act = 'delete' AND actor LIKE 'command:%@%'") == 2)

                var phone = SyncingPhone(app, "u-cat")
                try await phone.sync()
                let done = try await KithCommand(
                    ["restored", "--yes", "--repeat", file.path, "--repeat", file.path], environment
                ).run()
                #expect(done.status == 0, "\(done.error)")
                #expect(
                    done.output.contains("0 accounts deleted again, 0 keys revoked again, 4 were so already"))
                try await phone.sync()
                #expect(phone.reloads == 1)
                try await app.verify()
            }
        }
    }

    @Test
    func `kith restored reads the lines of another system, and ends with an error at one of another kind`()
        async throws
    {
        try await withFile { file in
            try await TestApp.run { app in
                for name in ["ann", "bob"] { try await app.signUp(name) }
                let lines = ["u-ann", "u-bob"].map {
                    Erasure(deleted: User.ID(id($0)), event: 1, at: Date()).line
                }
                try Data(lines.joined(separator: "\r\n").utf8).write(to: URL(filePath: file.path))
                let command = ["restored", "--yes", "--repeat", file.path]
                let environment = ["KITH_DATABASE_URL": app.app.config.database.url]
                let done = try await KithCommand(command, environment).run()
                #expect(done.status == 0 && done.output.contains("2 accounts deleted again"), "\(done)")
                try file.append(["{\"erased\":\"u-cat\"}"])
                let strange = try await KithCommand(command, environment).run()
                #expect(
                    strange.status == 1 && strange.error.contains("of another kind, as line 3"), "\(strange)")
                try Data("uid,username\nu-ann,ann\n".utf8).write(to: URL(filePath: file.path))
                let other = try await KithCommand(command, environment).run()
                #expect(other.status == 1 && other.error.contains("of another kind, as line 1"), "\(other)")
                try Data("\(lines[0])\n\(lines[1].prefix(30))".utf8).write(to: URL(filePath: file.path))
                #expect(
                    try await KithCommand(command, environment).run().status == 0, "a crash cut the last line"
                )
            }
        }
    }

    @Test(arguments: ["", "\n\n", "{\"at\":"])
    func `kith restored does nothing by a file without a line of an erasure log`(text: String)
        async throws
    {
        let environment = ["KITH_DATABASE_URL": try await TestPostgres.shared.migratedDatabase()]
        try await withFile { file in
            try Data(text.utf8).write(to: URL(filePath: file.path))
            let command = ["restored", "--yes", "--repeat", file.path]
            let refused = try await KithCommand(command, environment).run()
            #expect(refused.status == 1 && refused.output.isEmpty, "\(refused)")
            #expect(refused.error.hasSuffix("kith: '\(file.path)' has no line of an erasure log\n"))
        }
    }

    @Test func `kith restored --nothing-lost stands alone, and says if there is nothing to adopt`()
        async throws
    {
        let environment = ["KITH_DATABASE_URL": try await TestPostgres.shared.migratedDatabase()]
        let both = try await KithCommand(["restored", "--nothing-lost", "--yes"], environment).run()
        #expect(both.status == 2 && both.error.contains("--nothing-lost stands alone"))
        let alone = try await KithCommand(["restored", "--nothing-lost"], environment).run()
        #expect(alone.status == 1 && alone.error.contains("nothing was changed"))
        let plain = try await KithCommand(["restored"], environment).run()
        #expect(plain.status == 0, "without keys there is nothing to ask: \(plain.error)")
    }

    @Test func `a server writes the file of its setting`() async throws {
        try await withFile { file in
            let server = try await KithServer.start([
                "KITH_DATABASE_URL": try await TestPostgres.shared.migratedDatabase(),
                "KITH_ERASURE_LOG": file.path,
            ])
            defer { server.process.terminate() }
            #expect(
                try await server.call("POST", "/v1/signup", as: "u-ann", body: ["username": "ann"]).status
                    == 201)
            #expect(try await server.call("DELETE", "/v1/me", as: "u-ann").status == 204)
            try await waitUntil("it is written") { try lines(file).compactMap(\.deleted) == [id("u-ann")] }
        }
    }
}
