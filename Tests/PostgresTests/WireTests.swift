import TestSupport
import Testing

@testable import Postgres

/// What libpq does with a connection.
@Suite struct WireTests {
    @Test func `an answer that was not parsed before the connection broke counts as none`() async throws {
        try await Server.withURL { url in
            let database = try Database(.init(url: url))
            let wire = try await connect(url)
            #expect(wire.send(unnamed: "SELECT 7") && wire.sendSync() && wire.flush() == true)
            let pid = Int(wire.backendPID)
            try await waitUntil("the server has answered") {
                try await database.write.run(
                    "SELECT FROM pg_stat_activity WHERE pid = \(pid) AND state = 'idle' AND query = 'SELECT 7'"
                ) > 0
            }
            try await database.write.run("SELECT pg_terminate_backend(\(pid)::int)")
            try await waitUntil("all is read, up to the end") { !wire.consume() }
            var answers = 0
            // An end follows the results of each statement.
            for _ in 0..<10 {
                guard case .result(let result) = wire.receive() else { continue }
                if PostgresError.ServerError(result)?.sqlState != "57P01" { answers += 1 }
                _ = Rows(owning: result)
            }
            #expect(answers == 0)
            await database.close()
        }
    }

    private func connect(_ url: String) async throws -> Wire {
        let wire = try #require(Wire([("dbname", url)]))
        try await waitUntil("it is connected") {
            switch wire.pollConnect() {
            case .ready: return true
            case .failed: throw PostgresError.unavailable(reason: wire.problem)
            case .reading, .writing: return false
            }
        }
        return wire
    }
}
