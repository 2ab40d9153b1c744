import Foundation
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith
@testable import Links

/// `kith apply` and `kith config`, in the database and at a server.
@Suite(.inTurns) struct PublicationCommandTests {
    private struct Files {
        let url: String
        let file: URL

        func kith(_ arguments: String..., settings: [String: String] = [:]) async throws
            -> KithCommand.Outcome
        {
            let settings = settings.merging(["KITH_DATABASE_URL": url]) { own, _ in own }
            return try await KithCommand(arguments, settings).run()
        }

        func apply(_ yaml: String, _ more: String..., settings: [String: String] = [:]) async throws
            -> KithCommand.Outcome
        {
            try yaml.write(to: file, atomically: true, encoding: .utf8)
            let settings = settings.merging(["KITH_DATABASE_URL": url]) { own, _ in own }
            return try await KithCommand(["apply", file.path] + more, settings).run()
        }
    }

    /// Runs commands beside a server, and with the options and settings with which they speak to it.
    private static func beside(
        _ body: (Files, _ options: [String], _ settings: [String: String]) async throws -> Void
    ) async throws {
        try await run { files in
            let server = try await KithServer.start(["KITH_DATABASE_URL": files.url])
            let key = try await files.kith("key", "create", "--name", "ci", "--scope", "admin").output
                .trimmingCharacters(in: .newlines)
            try await body(
                files, ["--server", server.origin], ["KITH_KEY": key, "KITH_DATABASE_URL": ""])
            server.process.terminate()
            _ = await server.exit()
        }
    }

    private static func run(_ body: (Files) async throws -> Void) async throws {
        let url = try await TestPostgres.shared.migratedDatabase()
        let file = FileManager.default.temporaryDirectory.appending(path: "kith-publish-\(UUID()).yaml")
        defer { try? FileManager.default.removeItem(at: file) }
        try await body(Files(url: url, file: file))
    }

    @Test func `a file adds and changes, and removes only with --prune, in the sections that it names`()
        async throws
    {
        try await Self.run { files in
            #expect(try await files.apply("values: {a: '1', b: '1'}\noffers: {}").status == 0)
            let added = try await files.apply("values: {c: '1'}")
            #expect(added.output == "+ values.c.value: 1\npublished as 2: servers follow within 5 seconds\n")
            let pruned = try await files.apply("values: {c: '1'}", "--prune", "--dry-run")
            #expect(pruned.output.hasPrefix("- values.a.value: 1\n- values.b.value: 1\n"), "\(pruned)")
            #expect(try await files.apply("policies: {}", "--prune").output == "nothing changes\n")
            #expect(try await files.apply("values: {c: '1'}", "--prune").status == 0)
            let shown = try await files.kith("config", "show").output
            #expect(shown == "# revision 3\nvalues:\n  c:\n    value: '1'\n\n", "\(shown)")
        }
    }

    @Test func `the history names who, what and why, and every revision comes back`() async throws {
        try await Self.run { files in
            #expect(try await files.apply("values: {a: one}", "--reason", "first").status == 0)
            #expect(try await files.apply("values: {a: two, b: x}").status == 0)
            let history = try await files.kith("config", "history").output.split(separator: "\n")
            #expect(history.count == 2)
            #expect(history[0].hasPrefix("2  ") && history[0].hasSuffix("  file  ~values.a +values.b"))
            #expect(history[1].contains("  command:") && history[1].hasSuffix("+values.a  first"))
            let difference = try await files.kith("config", "diff", "1", "2").output
            #expect(difference == "~ values.a.value: one → two\n+ values.b.value: x\n")
            #expect(try await files.kith("config", "diff", "2").output == "nothing differs\n")
            let reverted = try await files.kith("config", "revert", "2", "--reason", "wrong")
            #expect(reverted.output.hasSuffix("published as 3: servers follow within 5 seconds\n"))
            #expect(try await files.kith("config", "diff", "1", "3").output == "nothing differs\n")
            #expect(try await files.apply("values: {a: three}").status == 0)
            let refused = try await files.kith("config", "revert", "1")
            #expect(refused.status == 1 && refused.error.contains("publication 4 changed values.a later"))
            // Once the later one is undone, nothing of it would be undone with the first.
            for number in ["4", "1"] {
                #expect(try await files.kith("config", "revert", number).status == 0)
            }
            #expect(try await files.kith("config", "show").output == "# revision 6\napps: {}\n\n")
            #expect(try await files.kith("config", "to", "9").status == 1)
            let stale = try await files.apply("values: {a: '3'}", "--expect", "3")
            #expect(stale.status == 1 && stale.error.contains("the newest revision is 6, not 3"))
            #expect(stale.output.isEmpty)
            let old = try await files.kith("config", "show", "--revision", "2").output
            #expect(try await files.apply(old, "--expect", "6").status == 0)
            let rerun = try await files.apply(old, "--expect", "6")
            #expect(rerun.status == 0 && rerun.output == "nothing changes\n", "\(rerun)")
            #expect(try await files.kith("config", "diff", "2", "7").output == "nothing differs\n")
        }
    }

    @Test func `a key is enough to apply a file at a server`() async throws {
        try await Self.run { files in
            let server = try await KithServer.start(["KITH_DATABASE_URL": files.url])
            let key = try await files.kith("key", "create", "--name", "ci", "--scope", "admin").output
                .trimmingCharacters(in: .newlines)
            let settings = ["KITH_KEY": key, "KITH_DATABASE_URL": ""]
            func apply(_ yaml: String, _ more: String...) async throws -> KithCommand.Outcome {
                try yaml.write(to: files.file, atomically: true, encoding: .utf8)
                let arguments = ["apply", files.file.path, "--server", server.origin, "--reason", "by hand"]
                return try await KithCommand(arguments + more, settings).run()
            }
            let dry = try await apply("values: {a: '1', b: '1'}", "--dry-run")
            #expect(dry.output.contains("+ values.a.value: 1\n") && dry.status == 0, "\(dry)")
            let done = try await apply("values: {a: '1', b: '1'}")
            #expect(done.output.hasSuffix("published as 1: servers follow within 5 seconds\n"), "\(done)")
            #expect(try await apply("values: {a: '1'}").output == "nothing changes\n")
            #expect(try await apply("values: {a: '1'}", "--prune").output.hasPrefix("- values.b.value: 1\n"))
            let history = try await files.kith("config", "history").output
            #expect(history.contains("key:") && history.contains("by hand"), "\(history)")
            let wrong = try await apply("policies: {p: {platform: x}}")
            #expect(wrong.status == 1 && wrong.error.contains("policies.p.platform"), "\(wrong)")
            let stale = try await apply("values: {a: '2'}", "--expect", "1")
            #expect(stale.status == 1 && stale.error.contains("the newest revision is 2, not 1"))
            let rerun = try await apply("values: {a: '1'}", "--expect", "1")
            #expect(rerun.status == 0 && rerun.output == "nothing changes\n", "\(rerun)")
            let keyless = try await KithCommand(
                ["apply", files.file.path, "--server", server.origin, "--reason", "x"], ["KITH_KEY": "kith_x"]
            ).run()
            #expect(keyless.status == 1 && keyless.error.contains("--key-file"), "\(keyless)")
            server.process.terminate()
            _ = await server.exit()
        }
    }

    @Test func `with a key, a server shows its history and goes back in it as the database does`()
        async throws
    {
        try await Self.run { files in
            let server = try await KithServer.start(["KITH_DATABASE_URL": files.url])
            let key = try await files.kith("key", "create", "--name", "ci", "--scope", "admin").output
                .trimmingCharacters(in: .newlines)
            func config(_ arguments: String..., reason: String? = nil) async throws -> KithCommand.Outcome {
                let more = ["--server", server.origin] + (reason.map { ["--reason", $0] } ?? [])
                return try await KithCommand(
                    ["config"] + arguments + more, ["KITH_KEY": key, "KITH_DATABASE_URL": ""]
                ).run()
            }
            #expect(try await files.apply("values: {a: one}", "--reason", "first").status == 0)
            for number in 2...102 {
                #expect(try await files.apply("values: {a: '\(number)'}").status == 0)
            }
            for arguments in [
                ["show"], ["show", "--revision", "1"], ["history", "--limit", "102"], ["diff", "1"],
            ] {
                let here = try await KithCommand(["config"] + arguments, ["KITH_DATABASE_URL": files.url])
                    .run()
                let there = try await KithCommand(
                    ["config"] + arguments + ["--server", server.origin],
                    ["KITH_KEY": key, "KITH_DATABASE_URL": ""]
                ).run()
                #expect(here.status == 0 && here.output == there.output, "\(here) \(there)")
            }
            #expect(try await config("revert", "102").error.contains("--server needs --reason"))
            #expect(
                try await config("revert", "102", "--dry-run").output.contains(
                    "nothing was changed"))
            let reverted = try await config("revert", "102", reason: "wrong")
            #expect(
                reverted.output
                    == "~ values.a.value: 102 → 101\npublished as 103: servers follow within 5 seconds\n")
            let refused = try await config("revert", "1", reason: "x")
            #expect(refused.status == 1 && refused.error.contains("changed values.a later"), "\(refused)")
            #expect(try await config("to", "1", reason: "back").output.contains("101 → one"))
            #expect(
                try await config("to", "2", "--only", "policies", reason: "x").output == "nothing changes\n")
            #expect(try await config("to", "2", "--only", "policy", reason: "x").status == 2)
            let none = try await config("to", "999", reason: "x")
            #expect(none.status == 1 && none.error.contains("no publication of that number"), "\(none)")
            #expect(try await files.kith("config", "diff", "1").output == "nothing differs\n")
            server.process.terminate()
            _ = await server.exit()
        }
    }

    @Test func `a typo is named with its line, whether the file is for the database or for a server`()
        async throws
    {
        try await Self.beside { files, options, settings in
            let yaml = """
                values:
                  a:
                    value: x
                    rules: {j: {value: y, when: {langauge: [ja]}}}
                policies: {p: {platform: x}}
                """
            let here = try await files.apply(yaml)
            #expect(here.error.contains("line 4: values.a.rules.j.when.langauge "), "\(here)")
            let there = try await KithCommand(
                ["apply", files.file.path, "--reason", "x"] + options, settings
            ).run()
            #expect(there.status == 1 && there.error == here.error, "\(there)")
        }
    }

    @Test func `a dry run needs no reason, and fails if the change would need --force`() async throws {
        try await Self.beside { files, options, settings in
            let hard =
                "policies: {p: {platform: ios, when: {version: {lt: '2'}}, action: hard, target: '2', minimumOS: '13'}}"
            try hard.write(to: files.file, atomically: true, encoding: .utf8)
            for (options, settings) in [([], ["KITH_DATABASE_URL": files.url]), (options, settings)] {
                let command = ["apply", files.file.path, "--dry-run"] + options
                let dry = try await KithCommand(command, settings).run()
                #expect(
                    dry.status == 1 && dry.output.contains("\nneeds --force policies.p: people"), "\(dry)")
                #expect(
                    dry.error
                        == "kith: nothing was changed: without --force policies.p it would be refused\n")
                let forced = try await KithCommand(command + ["--force", "policies.p"], settings).run()
                #expect(forced.status == 0, "\(forced)")
                #expect(forced.output.hasSuffix("nothing was changed: without --dry-run it would be\n"))
            }
            #expect(try await files.kith("config", "history").output.isEmpty)
        }
    }

    @Test func `if somebody publishes while a server is asked to, the command says what to do`()
        async throws
    {
        try await Self.beside { files, options, settings in
            try "values: {a: '1'}".write(to: files.file, atomically: true, encoding: .utf8)
            let command = ["apply", files.file.path, "--reason", "x"] + options
            let db = try Database(Database.Configuration(url: files.url))
            let publishing = try await db.transaction { session in
                try await session.run(
                    """
                    INSERT INTO publications (number, actor, source, marked_items, items, effects)
                    VALUES (1, 'key:ben', 'call', '{}', '[]', '[]')
                    """)
                let publishing = Task { try await KithCommand(command, settings).run() }
                try await waitUntil("the server waits for this publication") {
                    try await db.read.first(
                        "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
                    ) { _ in true } ?? false
                }
                return publishing
            }
            let outcome = try await publishing.value
            #expect(outcome.status == 1 && outcome.error.contains("there were publications: 1 by key:ben"))
            #expect(
                outcome.error.hasSuffix("nothing was changed: run it again to see what changes now\n"),
                "\(outcome)")
            await db.close()
        }
    }

    @Test func `an icon of a hundred KiB is published at a server`() async throws {
        try await Self.run { files in
            let server = try await KithServer.start(["KITH_DATABASE_URL": files.url])
            let key = try await files.kith("key", "create", "--name", "ci", "--scope", "admin").output
                .trimmingCharacters(in: .newlines)
            let icon = files.file.appendingPathExtension("png")
            defer { try? FileManager.default.removeItem(at: icon) }
            try Data(QRCode("icon").png(side: 256) + [UInt8](repeating: 0, count: 100_000)).write(to: icon)
            let app = "apps: {beta: {hosts: ['https://beta.example.com'], icon: \(icon.lastPathComponent)}}"
            try app.write(to: files.file, atomically: true, encoding: .utf8)
            let applied = try await KithCommand(
                ["apply", files.file.path, "--server", server.origin, "--reason", "an icon"],
                ["KITH_KEY": key, "KITH_DATABASE_URL": ""]
            ).run()
            #expect(applied.output.contains("+ apps.beta.icon: data:image/png, 100 KiB"), "\(applied)")
            #expect(applied.output.hasSuffix("published as 1: servers follow within 5 seconds\n"))
            server.process.terminate()
            _ = await server.exit()
        }
    }

    @Test func `a file of few lines whose aliases make billions of values is refused at once`() async throws {
        try await Self.run { files in
            let bomb =
                "values:\n  a0: &a0 {x: '1'}\n"
                + (1...30).map { "  a\($0): &a\($0) {x: *a\($0 - 1), y: *a\($0 - 1)}\n" }.joined()
            let outcome = try await files.apply(bomb)
            #expect(outcome.status == 1 && outcome.error.contains("more than 100000 values"), "\(outcome)")
        }
    }
}
