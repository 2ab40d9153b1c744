import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Imports
@testable import Kernel
@testable import Kith
@testable import Operations

/// Rules of all imports: the file, all or nothing, and the command.
@Suite(.inTurns) struct ImportTests {
    @Test(arguments: [
        ("", 1, "no header line"), ("uid\nu-1\n", 1, "missing column username"),
        ("uid,username,Name,x\n", 1, "unknown column 'Name', 'x'"),
        ("uid,username,uid\n", 1, "duplicate column uid"),
        ("uid,username\nu-1,ann,more\n", 2, "extra data"),
        ("uid,username\nu-1,ann\nu-2\n", 3, "missing data"),
        ("uid,username\nu-1,\"ann\nu-2,bob\n", 4, "unterminated CSV quoted field"),
        ("uid,username,metadata\nu-1,ann,\nu-2,bob,{\n", 3, "invalid input syntax for type json"),
        ("uid,username,history_complete\nu-1,ann,perhaps\n", 2, "invalid input syntax for type boolean"),
        ("uid,username\nu-1,ann\nu-2,b\0b\n", 3, "invalid byte sequence"),
        ("uid,username\nu-1,ann\n\\.\nu-2,bob\n", 3, "a line of only \\. ends the data"),
        ("uid,username\nu-1,ann\n\nu-2,bob\n", 3, "missing data"),
        ("uid;username\nu-1;ann\n", 1, "its columns are divided by `;`: divide them by commas"),
        ("uid\tusername\nu-1\tann\n", 1, "its columns are divided by tabs"),
    ])
    func `a file that is not such CSV imports nothing, and the error names the line`(
        csv: String, line: Int, reason: String
    )
        async throws
    {
        try await TestApp.run { app in
            let footprint = try await app.footprint()
            do {
                _ = try await app.importUsers(csv)
                Issue.record("imported")
            } catch ImportError.malformed(let found, let message) {
                #expect(found == line && message.contains(reason), "line \(found ?? 0): \(message)")
            }
            #expect(try await app.footprint() == footprint)
            #expect(try await app.importUsers("uid,username\nu-1,ann\n").imported == 1, "and on")
        }
    }

    @Test func `invalid UTF-8 imports nothing, and the error names the line`() async throws {
        try await TestApp.run { app in
            for (bytes, line) in [
                ([0x75, 0xFF, 0x0A], 1), (Array("uid,username\nu-1,ann\nu-2,".utf8) + [0xC3, 0x28], 3),
            ] {
                var chunks: [[UInt8]] = [bytes.map { UInt8($0) }]
                do {
                    _ = try await ImportStore(app.db, app.app.config).run(
                        .users(keepNames: true, historyComplete: true), from: { chunks.popLast() })
                    Issue.record("imported")
                } catch ImportError.malformed(let found, _) {
                    #expect(found == line)
                }
            }
            #expect(try await app.count("users") == 0)
        }
    }

    @Test(arguments: ["\n", "\n\n", "\r\n\r\n", "\r\n\r\n\r\n\n", ""], [1, 2, 3, 4096])
    func `blank lines at the end are none`(end: String, size: Int) async throws {
        try await TestApp.run { app in
            let report = try await app.import(
                .users(keepNames: false, historyComplete: false), "uid,username\r\nu-1,ann\r\nu-2,bob\(end)",
                chunk: size)
            #expect((report.lines, report.imported) == (2, 2))
        }
    }

    @Test func `names of columns count in any case`() async throws {
        try await TestApp.run { app in
            let report = try await app.importUsers("UID,Username,DISPLAY_NAME\nu-1,ann,Ann\n")
            #expect(report.imported == 1)
        }
    }

    @Test(arguments: [1, 2, 3, 7, 4096])
    func `chunks may end anywhere`(size: Int) async throws {
        try await TestApp.run { app in
            let report = try await app.import(
                .users(keepNames: false, historyComplete: false),
                "\u{FEFF}uid,username\r\nu-1,ann\r\nu-2,\"bob\"\r\nu-花,cat\r\n\\.\r\n", chunk: size)
            #expect(report.lines == 3 && report.imported == 3)
        }
    }

    @Test func `a dry run reports everything and writes nothing`() async throws {
        try await TestApp.run { app in
            let footprint = try await app.footprint()
            let report = try await app.import(
                .users(keepNames: false, historyComplete: false), "uid,username\nu-1,ann\nu-2,ANN\n",
                isDryRun: true)
            #expect(report.imported == 1 && report.found == ["username_twice 1 [3]"])
            #expect(try await app.footprint() == footprint)
        }
    }

    @Test func `a killed connection leaves nothing, and releases the lock`() async throws {
        try await TestApp.run { (app) async throws in
            let lines = (0..<5000).map { "u-\($0),name\($0)\n" }
            var sent = 0
            let error = await #expect(throws: PostgresError.self) {
                try await ImportStore(app.db, app.app.config).run(
                    .users(keepNames: false, historyComplete: false),
                    from: {
                        defer { sent += 1 }
                        if sent == 0 { return Array("uid,username\n".utf8) }
                        if sent == 2500 {
                            try await app.db.write.run(
                                """
                                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                                WHERE datname = current_database() AND application_name = 'kith exclusive'
                                """)
                        }
                        return sent <= lines.count ? Array(lines[sent - 1].utf8) : nil
                    })
            }
            guard case .connectionLost = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(try await app.count("users") == 0)
            #expect(try await app.importUsers("uid,username\n" + lines.joined()).imported == 5000)
        }
    }

    @Test func `a sender that fails leaves nothing`() async throws {
        struct Unreadable: Error {}
        try await TestApp.run { (app) async throws in
            var chunks = ["u-1,ann\n", "uid,username\n"]
            await #expect(throws: Unreadable.self) {
                try await ImportStore(app.db, app.app.config).run(
                    .users(keepNames: false, historyComplete: false),
                    from: {
                        guard let chunk = chunks.popLast() else { throw Unreadable() }
                        return Array(chunk.utf8)
                    })
            }
            #expect(try await app.count("users") == 0)
        }
    }

    @Test func `one import at a time`() async throws {
        try await TestApp.run { app in
            var chunks = ["u-1,ann\n", "uid,username\n"]
            let report = try await ImportStore(app.db, app.app.config).run(
                .users(keepNames: false, historyComplete: false),
                from: {
                    await #expect(throws: ImportError.anotherUnderWay) {
                        try await app.importFriendships("uid,friend_uid\n")
                    }
                    return chunks.popLast().map { Array($0.utf8) }
                })
            #expect(report.imported == 1)
        }
    }

    @Test func `two hundred thousand friendships are imported completely`() async throws {
        try await TestApp.run { app in
            let users = 20_000
            var csv = "uid,username\n"
            for number in 0..<users { csv += "provider|\(number),user\(number)\n" }
            #expect(
                try await app.import(.users(keepNames: false, historyComplete: false), csv, chunk: 65_536)
                    .imported == users)
            csv = "uid,friend_uid\n"
            for step in 1...10 {
                for number in 0..<users {
                    csv += "provider|\(number),provider|\((number + step * step) % users)\n"
                }
            }
            let report = try await app.import(.friendships(oneSided: .refuse), csv, chunk: 65_536)
            #expect(report.imported == 0 && report.found.first?.hasPrefix("one_sided 200000 ") == true)
            let friends = try await app.import(.friendships(oneSided: .friends), csv, chunk: 65_536)
            #expect(friends.imported == 200_000 && friends.found == [])
            #expect(try await app.count("relationships") == 400_000)
            #expect(try await app.brokenMirrors() == 0)
            #expect(try await app.get("/v1/me", as: "provider|77")["counts.friends"] == "20")
            let wrong = try await app.db.walks.first(
                "SELECT count(*) FROM relationships WHERE other_id <> user_id(other_uid)"
            ) { try $0.next(as: Int.self) }
            #expect(wrong == 0)
        }
    }

    @Test func `the command reads files and standard input, and prints its report and errors`()
        async throws
    {
        let url = try await TestPostgres.shared.migratedDatabase()
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "kith-import-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func run(_ arguments: [String], _ csv: String) async throws -> KithCommand.Outcome {
            let file = folder.appending(path: "file.csv")
            try csv.write(to: file, atomically: true, encoding: .utf8)
            return try await KithCommand(["import"] + arguments + [file.path], ["KITH_DATABASE_URL": url])
                .run()
        }
        let users = "uid,username\nu-1,ann\nu-2,bob\nu-3,admin\n"
        let dry = try await run(["users", "--dry-run"], users)
        #expect(dry.status == 0)
        #expect(
            dry.output == """
                users: 3 lines, 2 imported
                  refused    1 username that users may not choose (--keep-names accepts it) (line 4)
                dry run: nothing was written

                """)
        #expect(try await run(["users", "--keep-names"], users).output == "users: 3 lines, 3 imported\n")
        let usernames = "uid,username,valid_from,valid_to\nu-1,anna,2015-01-01,2016-01-01\n"
        #expect(
            try await run(["usernames", "--complete"], usernames).output.hasPrefix(
                "usernames: 1 line, 1 imported\n"))
        let friends = "uid,friend_uid\nu-1,u-2\nu-2,u-1\nu-1,u-3\n"
        #expect(
            try await run(["friendships", "--one-sided", "request"], friends).output == """
                friendships: 3 lines, 1 imported
                  repaired   1 one-sided, imported as requests of the side that lists them (line 4)

                """)
        let bad = try await run(["friendships"], "uid,friend\n")
        #expect(bad.status == 1 && bad.output.isEmpty)
        #expect(
            bad.error.contains(
                "line 1: unknown column 'friend': a file of friendships has uid,friend_uid[,since]"))
        let absent = try await KithCommand(["import", "users", "/nowhere.csv"], ["KITH_DATABASE_URL": url])
            .run()
        #expect(absent.status == 1 && absent.error.contains("cannot read"))
        #expect(try await KithCommand(["import", "users"], ["KITH_DATABASE_URL": url]).run().status == 2)
        #expect(try await run(["friendships", "--one-sided", "maybe"], friends).status == 2)
        let empty = try await KithCommand(["import", "users", "-"], ["KITH_DATABASE_URL": url]).run()
        #expect(empty.status == 1 && empty.error.contains("line 1"), "its standard input is empty")
    }

    @Test func `whoever changes their names or ends something waits for an import that writes`() async throws
    {
        try await TestApp.run { app in
            try await app.importUsers(named: ["ann", "bob", "cat"])
            let display: Body = ["displayName": "Ann"]
            let acts: [@Sendable () async throws -> Int] = [
                { try await app.rename("u-ann", to: "anna").status },
                { try await app.rename("u-ann", to: "Anna").status },
                { try await app.call(.patch, "/v1/me", as: "u-ann", body: display).status },
                { try await app.call(.delete, "/v1/friends/u-bob", as: "u-ann").status },
                { try await app.put("/v1/blocks/u-bob", as: "u-ann").status },
                { try await app.post("/v1/me/invite/rotate", as: "u-ann").status },
                { try await app.call(.delete, "/v1/me", as: "u-cat").status },
            ]
            for act in acts {
                let acting = try await app.db.transaction { session in
                    try await session.run("SELECT pg_advisory_xact_lock(\(UserStore.importLock))")
                    let acting = Task { try await act() }
                    try await app.untilSomebodyWaits()
                    return acting
                }
                #expect(try await acting.value < 300)
            }
        }
    }
}
