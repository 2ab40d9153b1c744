import Foundation
import Postgres
import TestSupport
import Testing

/// A server that has no room for further connections: the lanes share those that there are.
@Suite(.inTurns) struct RoomTests {
    /// A database whose role may have so many connections.
    private func withLimit(
        _ limit: Int,
        _ body: (_ database: Database, _ setLimit: @Sendable (Int) async throws -> Void) async throws -> Void
    ) async throws {
        let url = try await TestPostgres.shared.database()
        let admin = try Database(Database.Configuration(url: url))
        // Roles belong to the whole server, so each test has one named after its database.
        let role = "room_" + String(try #require(url.firstMatch(of: /test%5F([0-9a-f]+)/)).output.1)
        try await admin.withConnection {
            try await $0.script("CREATE ROLE \(role) LOGIN CONNECTION LIMIT \(limit)")
        }
        var configuration = Database.Configuration(url: url.replacing("user=postgres", with: "user=\(role)"))
        configuration.write = .init(connections: 8, deadline: .seconds(60), lockTimeout: .zero)
        let database = try Database(configuration)
        try await body(database) { limit in
            try await admin.withConnection {
                try await $0.script("ALTER ROLE \(role) CONNECTION LIMIT \(limit)")
            }
        }
        await database.close()
        await admin.close()
    }

    /// Many writes at once, each of which takes a while.
    private func manyWrites(_ database: Database) -> [Task<Int, any Error>] {
        (0..<40).map { _ in Task { try await database.write.run("SELECT pg_sleep(0.05)") } }
    }

    @Test func `a lane that has no connection gets one of the lane that has most`() async throws {
        try await withLimit(3) { (database, _) async throws in
            for task in manyWrites(database) { #expect(try await task.value == 1) }
            #expect(database.statistics.write.connectionsUp == 3)
            for lane in [database.landings, database.lists] {
                try await waitUntil("it is answered") { (try? await lane.run("SELECT 1")) == 1 }
            }
            #expect(database.statistics.write.connectionsUp == 1)
            #expect(try await database.write.run("SELECT 1") == 1)
        }
    }

    @Test func `if no lane has two connections, an idle one goes where it is needed`() async throws {
        try await withLimit(4) { (database, _) async throws in
            let others = [database.lists, database.write, database.walks, database.bulk]
            for lane in others { #expect(try await lane.run("SELECT 1") == 1) }
            try await waitUntil("links and reads are answered") { (try? await database.connect()) != nil }
            for lane in others {
                try await waitUntil("it is answered") { (try? await lane.run("SELECT 1")) == 1 }
            }
            let all = database.statistics
            #expect((all.landings.connectionsUp, all.read.connectionsUp) == (1, 1))
        }
    }

    @Test func `writes go on with the connections that they have, and leave links and reads theirs`()
        async throws
    {
        try await withLimit(4) { (database, setLimit) async throws in
            try await database.connect()
            for task in manyWrites(database) { #expect(try await task.value == 1) }
            let few = database.statistics
            #expect(
                (few.landings.connectionsUp, few.read.connectionsUp, few.write.connectionsUp) == (1, 1, 2))
            // One attempt a second, not one a write.
            #expect(few.write.connectFailures < 20)
            #expect(try await database.landings.run("SELECT 1") == 1)
            try await setLimit(-1)
            try await waitUntil("writes have more") {
                for task in manyWrites(database) { _ = try await task.value }
                return database.statistics.write.connectionsUp > 2
            }
        }
    }

    @Test func `while a lane waits for its only connection, others that are at work give one up in time`()
        async throws
    {
        try await withLimit(2) { (database, _) async throws in
            let busy = Task {
                while !Task.isCancelled { for task in manyWrites(database) { _ = try? await task.value } }
            }
            try await waitUntil("writes have all") { database.statistics.write.connectionsUp == 2 }
            try await waitUntil("a link is answered") { (try? await database.landings.run("SELECT 1")) == 1 }
            for _ in 0..<20 { #expect(try await database.landings.run("SELECT 1") == 1) }
            #expect(database.statistics.landings.connects == 1)
            busy.cancel()
            _ = await busy.value
        }
    }

    @Test func `without any connection the error says that there is no room, and a later call is answered`()
        async throws
    {
        try await withLimit(0) { (database, setLimit) async throws in
            let error = await failure { try await database.connect() }
            #expect(error?.lacksConnections == true, "\(String(reflecting: error))")
            try await setLimit(2)
            try await waitUntil("it is answered") { (try? await database.connect()) != nil }
        }
        let away = await failure {
            try await Database(.init(url: "postgresql:///none?host=/tmp/no-such-folder")).ping()
        }
        #expect(away?.lacksConnections == false)
    }
}
