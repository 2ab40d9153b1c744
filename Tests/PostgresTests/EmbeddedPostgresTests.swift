import EmbeddedPostgres
import Foundation
import Postgres
import TestSupport
import Testing

@Suite(.inTurns) struct EmbeddedPostgresTests {
    /// A folder that the server's user can reach, even if that is another user.
    private func withFolder(_ body: (String) async throws -> Void) async throws {
        let folder = "/var/tmp/kith-test-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await body(folder)
    }

    private func use<T>(_ server: EmbeddedPostgres, _ body: (Database) async throws -> T) async throws -> T {
        let database = try Database(.init(url: server.url()))
        let value = try await body(database)
        await database.close()
        return value
    }

    @Test func `a durable folder keeps its data from run to run`() async throws {
        try await withFolder { (folder) async throws in
            let first = try await EmbeddedPostgres.start(directory: folder, durable: true)
            try await use(first) { _ = try await $0.write.run("CREATE TABLE kept AS SELECT 1") }
            await first.end()
            let second = try await EmbeddedPostgres.start(directory: folder, durable: true)
            #expect(try await use(second) { try await $0.read.run("SELECT * FROM kept") } == 1)
            let sync = try await use(second) { database in
                try await database.read.first("SELECT current_setting('fsync')") {
                    try $0.next(as: String.self)
                }
            }
            #expect(sync == "on")
            await second.end()
        }
    }

    @Test func `a folder in use is refused, but one left behind by a crash is not`() async throws {
        try await withFolder { (folder) async throws in
            let first = try await EmbeddedPostgres.start(directory: folder, durable: true)
            let error = await #expect(throws: EmbeddedPostgresError.self) {
                _ = try await EmbeddedPostgres.start(directory: folder, durable: true)
            }
            guard case .inUse = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            let pid = try await use(first) { database in
                try await database.walks.first("SELECT pg_read_file('postmaster.pid')") {
                    try $0.next(as: String.self)
                }
            }
            let postmaster = try #require(pid?.split(separator: "\n").first.flatMap { Int32($0) })
            kill(postmaster, SIGKILL)
            let second = try await EmbeddedPostgres.start(directory: folder, durable: true)
            try await use(second) { try await $0.ping() }
            await second.end()
            await first.end()
        }
    }

    @Test func `a server with a port listens on TCP`() async throws {
        let port = Int.random(in: 20_000..<60_000)
        let server = try await EmbeddedPostgres.start(port: port)
        let database = try Database(.init(url: "postgresql://postgres@127.0.0.1:\(port)/postgres"))
        #expect(try await database.write.batch(["SELECT 1", "SELECT 2"]).count == 2)
        try await use(server) { try await $0.ping() }
        await database.close()
        await server.end()
    }

    @Test func `a temporary server leaves nothing behind`() async throws {
        let server = try await EmbeddedPostgres.start()
        let folder = try #require(server.url().split(separator: "host=").last?.split(separator: "&").first)
        #expect(FileManager.default.fileExists(atPath: String(folder)))
        await server.end()
        #expect(!FileManager.default.fileExists(atPath: String(folder)))
    }

    @Test(.enabled(if: geteuid() == 0)) func `an error names a folder that the server's user cannot reach`()
        async throws
    {
        let error = await #expect(throws: EmbeddedPostgresError.self) {
            _ = try await EmbeddedPostgres.start(directory: "/root/kith-unreachable", durable: true)
        }
        #expect(error.map { "\($0)" }?.contains("/root/kith-unreachable") == true)
        try? FileManager.default.removeItem(atPath: "/root/kith-unreachable")
    }
}
