import Foundation
import TestSupport
import Testing

/// `kith dev`, and the commands beside it.
@Suite(.inTurns) struct DevCommandTests {
    @Test func `while it runs the other commands find its database, and afterwards none`() async throws {
        let folder = "/tmp/kith-dev-\(UUID().uuidString.prefix(8))"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (environment, file) = (["KITH_DEV_FOLDER": folder], "\(folder)/database-url")
        func create() async throws -> KithCommand.Outcome {
            try await KithCommand(["key", "create", "--name", "x", "--scope", "server"], environment).run()
        }
        let none = try await create()
        #expect(none.status == 1 && none.error.contains("set KITH_DATABASE_URL"), "\(none)")
        #expect(!FileManager.default.fileExists(atPath: folder))

        let dev = try KithCommand(
            ["dev"],
            environment.merging(["KITH_LISTEN": "127.0.0.1:0", "KITH_OPS_LISTEN": "127.0.0.1:0"]) { $1 })
        try dev.start()
        try await waitUntil("it says where its database is") {
            try #require(dev.isRunning)
            return FileManager.default.fileExists(atPath: file)
        }
        let rights = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(rights == 0o600)
        let (url, made) = (try String(contentsOfFile: file, encoding: .utf8), try await create())
        #expect(made.status == 0 && made.output.hasPrefix("kith_"), "\(made)")
        #expect(try await KithCommand(["serve"], environment).run().error.contains("set KITH_DATABASE_URL"))
        dev.terminate()
        #expect(await dev.exit().status == 0)
        #expect(!FileManager.default.fileExists(atPath: file))

        try Data(url.utf8).write(to: URL(filePath: file))
        let stale = try await create()
        #expect(stale.status == 1 && stale.error.contains("set KITH_DATABASE_URL"), "\(stale)")
    }
}
