import Postgres
import TestSupport
import Testing

/// Several reads of one caller in one round trip.
@Suite(.inTurns) struct TogetherTests {
    @Test func `reads sent together each return their rows, in one request`() async throws {
        try await Server.withDatabase { (database) async throws in
            for lane in [database.read, database.walks] {
                let rows = try await lane.together([
                    "SELECT 1", "SELECT n FROM generate_series(2, 4) n", "SELECT 5 WHERE false",
                ])
                #expect(try rows.map { try $0.map { try $0.next(as: Int.self) } } == [[1], [2, 3, 4], []])
                let alone = try await lane.together(["SELECT 6"])
                #expect(try alone.map { try $0.map { try $0.next(as: Int.self) } } == [[6]])
            }
            #expect(database.statistics.read.requests == 2 && database.statistics.walks.requests == 2)
        }
    }

    @Test func `an error among reads sent together names its statement, and other callers are answered`()
        async throws
    {
        try await Server.withDatabase { (database) async throws in
            let outcomes = await withTaskGroup(of: String.self) { group in
                for id in 1...60 {
                    group.addTask {
                        let second: Statement = id % 7 == 0 ? "SELECT 1 / \(id - id)" : "SELECT \(id)"
                        do {
                            let rows = try await database.read.together(["SELECT 0", second])
                            let values = try rows.compactMap { try $0.first { try $0.next(as: Int.self) } }
                            return values == [0, id] ? "right" : "wrong"
                        } catch let error as PostgresError {
                            guard case .server(let refusal) = error else { return "\(error)" }
                            return "statement \(refusal.statementIndex ?? -1)"
                        } catch {
                            return "\(error)"
                        }
                    }
                }
                return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
            #expect(outcomes == ["right": 52, "statement 1": 8])
        }
    }
}
