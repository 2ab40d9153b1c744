import Foundation
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel

/// `kith dev`, and the commands beside it.
@Suite(.inTurns) struct DevCommandTests {
    @Test func `other commands find its database while it runs, and none afterwards`() async throws {
        let folder = "/tmp/kith-dev-\(UUID().uuidString.prefix(8))"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (environment, file) = (["KITH_DEV_FOLDER": folder], "\(folder)/database-url")
        func create() async throws -> KithCommand.Outcome {
            try await KithCommand(["key", "create", "--name", "x", "--scope", "server"], environment).run()
        }
        let none = try await create()
        #expect(none.status == 1 && none.error.contains("set KITH_DATABASE_URL"), "\(none)")
        #expect(!FileManager.default.fileExists(atPath: folder))

        let dev = try await start(environment)
        let rights = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(rights == 0o600)
        let (url, made) = (try String(contentsOfFile: file, encoding: .utf8), try await create())
        #expect(made.status == 0 && made.output.hasPrefix("kith_"), "\(made)")
        #expect(try await KithCommand(["serve"], environment).run().error.contains("set KITH_DATABASE_URL"))
        let links = try String(contentsOfFile: "\(folder)/link-url", encoding: .utf8)
        for link in ["\(links)/users/hana?invitedBy=demo-hanako", "\(links)/l/lantern"] {
            let explained = try await KithCommand(["explain", link], environment).run()
            #expect(explained.status == 0 && explained.output.contains("demo-hanako"), "\(explained)")
        }
        dev.terminate()
        #expect(await dev.exit().status == 0)
        #expect(!FileManager.default.fileExists(atPath: file))
        #expect(!FileManager.default.fileExists(atPath: "\(folder)/link-url"))

        try Data(url.utf8).write(to: URL(filePath: file))
        let stale = try await create()
        #expect(stale.status == 1 && stale.error.contains("set KITH_DATABASE_URL"), "\(stale)")
    }

    @Test func `with data of another commit it says how to delete them`() async throws {
        let folder = "/tmp/kith-dev-\(UUID().uuidString.prefix(8))"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let environment = ["KITH_DEV_FOLDER": folder]
        let made = try await start(environment)
        let url = try String(contentsOfFile: "\(folder)/database-url", encoding: .utf8)
        let db = try Database(Database.Configuration(url: url))
        try await db.write.run("UPDATE schema_migrations SET sha256 = 'other' WHERE version = 2")
        await db.close()
        made.terminate()
        #expect(await made.exit().status == 0)

        let refused = try await KithCommand(["dev"], environment).run()
        #expect(refused.status == 1 && refused.error.contains("a different 0002_users.sql"), "\(refused)")
        let command = try #require(refused.error.split(separator: "empty one: ").last)
        #expect(command == "rm -r '\(folder)/postgres'\n")
        #expect(try await KithCommand(shell: String(command), [:]).run().status == 0)
        let again = try await start(environment)
        again.terminate()
        _ = await again.exit()
    }

    @Test(arguments: [false, true])
    func `with a provider of its own it says why tokens of kith token are refused`(hasProvider: Bool)
        async throws
    {
        let folder = "/tmp/kith-dev-\(UUID().uuidString.prefix(8))"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var environment = ["KITH_DEV_FOLDER": folder, "KITH_LISTN": "x"]
        if hasProvider { environment["KITH_FIREBASE_PROJECT"] = "acme" }
        let dev = try await start(environment)
        dev.terminate()
        _ = await dev.exit()
        let output = try String(contentsOfFile: "\(folder)/output", encoding: .utf8)
        #expect(
            output.contains("It takes the tokens of https://securetoken.google.com/acme, since KITH_AUTH_")
                == hasProvider)
        #expect(output.contains("refuses those of `kith token`") == hasProvider)
        #expect(output.contains("/sign-in/"), "a link signs in at the console: \(output)")
        #expect(output.contains("Call the API as Ken") != hasProvider, "\(output)")
        let unknown = output.split(separator: "\n").filter { $0.contains("unknown setting") }
        #expect(unknown.count == 1 && unknown.first?.contains("KITH_LISTN") == true, "\(output)")
    }

    @Test func `kith token signs nothing without a kith dev, nor for a uid that nobody can have`()
        async throws
    {
        let folder = "/tmp/kith-dev-\(UUID().uuidString.prefix(8))"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        func token(_ uid: String) async throws -> KithCommand.Outcome {
            try await KithCommand(["token", "--uid", uid], ["KITH_DEV_FOLDER": folder]).run()
        }
        let none = try await token("u-ann")
        let advice = "no `kith dev` runs or ran in \(folder): run `kith dev`, or set KITH_DEV_FOLDER"
        #expect(none.status == 1 && none.output.isEmpty && none.error == "kith: \(advice)\n", "\(none)")
        #expect(!FileManager.default.fileExists(atPath: folder))

        _ = try DevelopmentKey(folder: URL(filePath: folder))
        for uid in ["", String(repeating: "u", count: 129), "u\u{7}ann"] {
            let refused = try await token(uid)
            #expect(refused.status == 2 && refused.output.isEmpty, "\(refused)")
            #expect(refused.error.contains("--uid must be 1 to 128 characters"), "\(refused)")
        }
        let longest = try await token(String(repeating: "u", count: 128))
        #expect(longest.status == 0 && longest.output.split(separator: ".").count == 3, "\(longest)")
    }

    @Test func `a name for the app leaves the demo its buttons`() async throws {
        let folder = "/tmp/kith-dev-\(UUID().uuidString.prefix(8))"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let port = try Loopback.freePorts(1)[0]
        let dev = try await start([
            "KITH_DEV_FOLDER": folder, "KITH_LISTEN": "127.0.0.1:\(port)", "KITH_APP_NAME": "Lantern",
            "KITH_APP_STORE_ID": "4242",
        ])
        let agent = """
            Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 \
            Mobile/15E148 Safari/604.1
            """
        let link = "http://127.0.0.1:\(port)/users/hanako?invitedBy=demo-hanako"
        let page = try await KithCommand(shell: "curl -s --noproxy '*' -A '\(agent)' '\(link)'", [:]).run()
            .output
        dev.terminate()
        _ = await dev.exit()
        #expect(page.contains("Hanako 花子 invites you to Lantern"), "\(page)")
        #expect(
            page.contains(#"href="kithdemo://users/hanako"#) && page.contains("apps.apple.com/app/id4242"))
    }

    @Test func `on every address it prints links that another device can open, or says what to set`()
        async throws
    {
        let folder = "/tmp/kith-dev-\(UUID().uuidString.prefix(8))"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let port = try Loopback.freePorts(1)[0]
        let dev = try await start(["KITH_DEV_FOLDER": folder, "KITH_LISTEN": "0.0.0.0:\(port)"])
        dev.terminate()
        _ = await dev.exit()
        let said = try String(contentsOfFile: "\(folder)/output", encoding: .utf8)
        let names =
            said.contains(/http:\/\/[1-9][0-9.]*:[0-9]+\/users\/hanako/) && !said.contains("http://0.0.0.0")
        #expect(names || said.contains("set KITH_LINK_URL"), "\(said)")
    }

    /// Returns once it serves.
    @Test func `at an address that another has it makes no links of that address`() async throws {
        let folders = (1...2).map { _ in "/tmp/kith-dev-\(UUID().uuidString.prefix(8))" }
        defer { for folder in folders { try? FileManager.default.removeItem(atPath: folder) } }
        let address = "127.0.0.1:\(try Loopback.freePorts(1)[0])"
        let first = try await start(["KITH_DEV_FOLDER": folders[0], "KITH_LISTEN": address])
        let refused = try await KithCommand(["dev"], ["KITH_DEV_FOLDER": folders[1], "KITH_LISTEN": address])
            .run()
        #expect(refused.status == 1 && refused.error.contains("cannot listen on KITH_LISTEN"), "\(refused)")

        let second = try await start(["KITH_DEV_FOLDER": folders[1]])
        let url = try String(contentsOfFile: "\(folders[1])/database-url", encoding: .utf8)
        let links = try await KithCommand(["export", "links"], ["KITH_DATABASE_URL": url]).run()
        #expect(links.status == 0 && links.output.contains("/l/lantern"), "\(links)")
        #expect(!links.output.contains(address), "\(links)")
        for dev in [first, second] { dev.terminate() }
        for dev in [first, second] { #expect(await dev.exit().status == 0) }
    }

    private func start(_ environment: [String: String]) async throws -> KithCommand {
        let folder = try #require(environment["KITH_DEV_FOLDER"])
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        // Links name the port, so 0 is none.
        let addresses = try Loopback.freePorts(2).map { "127.0.0.1:\($0)" }
        let dev = try KithCommand(
            shell: "exec \"$KITH\" dev >'\(folder)/output' 2>&1",
            environment.merging(["KITH_LISTEN": addresses[0], "KITH_OPS_LISTEN": addresses[1]]) { given, _ in
                given
            })
        try dev.start()
        try await waitUntil("it serves") {
            try #require(dev.isRunning)
            let said = try? String(contentsOfFile: "\(folder)/output", encoding: .utf8)
            return said?.contains("Kith is running") == true
        }
        return dev
    }
}
