import Foundation
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith
@testable import Links

/// The commands `kith import fdl` and `kith export links`.
@Suite(.inTurns) struct LinkExportTests {
    private struct Files {
        let folder: URL
        let url: String

        func run(_ arguments: [String], _ settings: [String: String] = [:]) async throws
            -> KithCommand.Outcome
        {
            try await KithCommand(
                arguments,
                [
                    "KITH_DATABASE_URL": url,
                    "KITH_LINK_DOMAINS": "https://go.example.com,https://example.com/l",
                    "KITH_LINK_TARGETS": "example.com",
                ].merging(settings) { $1 }
            ).run()
        }

        func write(_ text: String) throws -> String {
            let file = folder.appending(path: "\(UUID().uuidString).csv")
            try text.write(to: file, atomically: true, encoding: .utf8)
            return file.path
        }
    }

    private func run(_ test: (Files) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "kith-links-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await test(Files(folder: folder, url: TestPostgres.shared.migratedDatabase()))
    }

    private func rows(_ url: String) async throws -> [String] {
        let db = try Database(Database.Configuration(url: url))
        let rows = try await db.bulk.query(
            """
            SELECT concat_ws(' ', code, domain, kind, parameters, name, note, tags, created_at, archived_at, expires_at)
            FROM links ORDER BY domain, code
            """
        ) { try $0.next(as: String.self) }
        await db.close()
        return rows
    }

    @Test func `an export imports as the same links into another database`() async throws {
        try await run { (one) async throws in
            let db = try Database(Database.Configuration(url: one.url))
            // Two pages, with equal times among them.
            try await db.bulk.run(
                """
                INSERT INTO links (code, domain, kind, parameters, created_at)
                SELECT 'c' || n, 'https://go.example.com', 'unguessable', jsonb_build_object('link', 'https://example.com/' || n),
                       '2021-03-04T05:06:07.123456Z'::timestamptz + n / 3 * interval '1 microsecond'
                FROM generate_series(1, 2500) n
                """)
            try await db.bulk.run(
                """
                INSERT INTO links (code, domain, kind, parameters, name, note, tags, created_at, archived_at, expires_at) VALUES
                ('a/b', 'https://example.com/l', 'short',
                 '{"link": "https://example.com/a?b=c,d#e", "st": "A \\"b\\",\\r\\nc", "efr": "0", "al": "https://example.com/al", "gclid": "g",
                   "utm_source": " x ", "at": "花"}', 'N, "n"', 'A "note", 花', ARRAY['spring', 'print run', '春'], '1999-12-31T23:59:59.999999Z', '2020-01-01Z', '2099-01-01T00:00:00.000001Z')
                """)
            await db.close()
            let exported = try await one.run(["export", "links"])
            #expect(exported.status == 0 && exported.error == "")
            #expect(
                exported.output.hasPrefix(
                    LinkImportTests.header + ",suffix,expires_at,archived_at,al,gclid,tags,note\n"))
            try await run { (other) async throws in
                let file = try other.write(exported.output)
                let imported = try await other.run(["import", "fdl", file])
                #expect(
                    imported.output == """
                        line 2: warning https://example.com/l/a/b: al says nothing without the package of an app (apn): left out
                        fdl: 2,501 lines, 2,501 imported
                          repaired   1 imported, though not all of it holds (line 2)

                        """, "\(imported.error)")
                #expect(try await rows(other.url) == rows(one.url))
                let again = try await other.run(["import", "fdl", file])
                #expect(
                    again.output.hasPrefix(
                        "fdl: 2,501 lines, 0 imported\n  unchanged  2,501 already there (lines 2, 4,"))
                #expect(try await other.run(["export", "links"]).output == exported.output)
                let one = try await other.run(["export", "links", "--domain", "https://example.com/l"])
                #expect(
                    one.status == 0 && one.output.contains("/l/a/b") && !one.output.contains("go.example.com")
                )
                let none = try await other.run(["export", "links", "--domain", "https://example.com"])
                #expect(none.status == 1 && none.output == "")
                #expect(
                    none.error.contains("there are some at https://example.com/l, https://go.example.com"))
            }
        }
    }

    @Test func `the command prints a line for each refused line and each warning`() async throws {
        try await run { (files) async throws in
            let none = try await files.run(["export", "links"])
            #expect(none.status == 0 && none.output.split(separator: "\n").count == 1)
            let file = try files.write(
                LinkImportTests.header + "\n" + LinkImportTests.link("a")
                    + LinkImportTests.link("b", [.apn: "com.other", .amv: "1"])
                    + LinkImportTests.link("c", [.link: "https://evil.example/"]))
            let report = """
                line 3: warning https://go.example.com/b: apn is not in KITH_ANDROID_PACKAGE or KITH_ANDROID_OTHER_APPS: left out until it is
                line 3: warning https://go.example.com/b: amv says nothing without the package of an app (apn): left out
                line 4: refused https://go.example.com/c: it leads to evil.example: add that host to KITH_LINK_TARGETS, if links may lead there
                fdl: 3 lines, 2 imported
                  repaired   1 imported, though not all of it holds (line 3)
                  refused    1 link leads to a host that KITH_LINK_TARGETS does not have (line 4)

                """
            let dry = try await files.run(["import", "fdl", "--dry-run", file])
            #expect(dry.status == 0 && dry.output == report + "dry run: nothing was written\n")
            let done = try await files.run(["import", "fdl", file])
            #expect(done.status == 0 && done.output == report)
            #expect(done.error.contains("fdl: writing, 3 of 3 rows (100 %)"), "\(done.error)")
            let mended = try await files.run(
                ["import", "fdl", file], ["KITH_LINK_TARGETS": "example.com,evil.example"])
            #expect(mended.output == "fdl: 3 lines, 1 imported\n  unchanged  2 already there (lines 2, 3)\n")
            let unset = try await files.run(["import", "fdl", file], ["KITH_LINK_DOMAINS": ""])
            #expect(unset.status == 1 && unset.error.contains("KITH_LINK_DOMAINS is not set"))
        }
    }

    @Test func `an import that is killed while it writes leaves nothing, and the next one imports all`()
        async throws
    {
        try await run { (files) async throws in
            let file = try files.write(
                LinkImportTests.header + "\n" + (0..<30_000).map { LinkImportTests.link("c\($0)") }.joined())
            let db = try Database(Database.Configuration(url: files.url))
            let killed = try KithCommand(
                ["import", "fdl", file],
                [
                    "KITH_DATABASE_URL": files.url, "KITH_LINK_DOMAINS": "https://go.example.com",
                    "KITH_LINK_TARGETS": "example.com",
                ])
            try killed.start()
            try await waitUntil("it writes") {
                try await db.read.first(
                    """
                    SELECT true FROM pg_stat_activity
                    WHERE datname = current_database() AND query LIKE 'INSERT INTO links%'
                    """
                ) { try $0.next(as: Bool.self) } ?? false
            }
            kill(killed.id, SIGKILL)
            #expect(await killed.exit().output == "")
            // The server looks every two seconds whether its client is there.
            try await waitUntil("its session ends") {
                try await db.read.first(
                    """
                    SELECT count(*) = 0 FROM pg_stat_activity
                    WHERE datname = current_database() AND application_name = 'kith exclusive'
                    """
                ) { try $0.next(as: Bool.self) } ?? false
            }
            await db.close()
            #expect(try await rows(files.url) == [])
            let done = try await files.run(["import", "fdl", file])
            #expect(done.output == "fdl: 30,000 lines, 30,000 imported\n", "\(done.error)")
        }
    }

    @Test func `whatever is in the texts of a link, an export of it imports again`() async throws {
        try await run { (one) async throws in
            let texts = [
                "st": "A\n\\.\nB", "sd": "\r\n\\.\r\n", "utm_source": "x\u{85}y\tz", "utm_term": "\\.",
            ]
            try await TestApp.run(configure: {
                TestApp.withLinks(&$0)
                $0.database.url = one.url
            }) { app in
                let parameters = ["link": "https://example.com/"].merging(texts) { $1 }
                let made = try await app.post(
                    "/v1/links", as: nil, headers: app.keyed(.server),
                    ["parameters": parameters, "suffix": "custom", "code": "odd"])
                #expect(made.status == 201 && made["parameters.st"] == "A \\. B", "\(made.text)")
                #expect(made["parameters.utm_source"] == "x y z", "\(made.text)")
            }
            let exported = try await one.run(["export", "links"])
            try await run { (other) async throws in
                let imported = try await other.run(["import", "fdl", other.write(exported.output)])
                #expect(imported.output == "fdl: 1 line, 1 imported\n", "\(imported)")
                #expect(try await rows(other.url) == rows(one.url))
            }
        }
    }

    @Test func `links of an applied app are imported by its own settings`() async throws {
        try await run { (files) async throws in
            let apps = try files.write(
                "apps: {shop: {hosts: [https://shop.example.org], linkDomains: [https://s.example.org], linkTargets: [example.org]}}"
            )
            #expect(try await files.run(["apply", apps]).status == 0)
            let file = try files.write(
                LinkImportTests.header + "\n"
                    + LinkImportTests.link(
                        "", [.shortLink: "https://s.example.org/a", .link: "https://example.org/"])
                    + LinkImportTests.link(
                        "", [.shortLink: "https://s.example.org/b", .link: "https://example.com/"]))
            let done = try await files.run(["import", "fdl", file])
            #expect(
                done.output.contains("fdl: 2 lines, 1 imported") && done.output.contains("line 3: refused"),
                "\(done)")
        }
    }
}
