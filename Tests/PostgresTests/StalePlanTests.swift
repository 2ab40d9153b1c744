import Postgres
import TestSupport
import Testing

/// Statements whose tables changed since a connection prepared them.
@Suite struct StalePlanTests {
    @Test func `a batch with several stale plans runs, even after a failed batch`() async throws {
        try await Server.withDatabase({ $0.write.connections = 1 }) { (database) async throws in
            try await database.write.batch(["CREATE TABLE one (a int)", "CREATE TABLE two (a int)"])
            let (one, two): (Statement, Statement) = ("SELECT * FROM one", "SELECT * FROM two")
            try await database.write.batch([one, two])
            try await database.withConnection {
                try await $0.script("ALTER TABLE one ADD b int; ALTER TABLE two ADD b int")
            }
            try await database.write.batch([one, two])
            try await database.withConnection { try await $0.script("ALTER TABLE one ADD c int") }
            async let failing = failure {
                try await database.write.batch(["SELECT pg_sleep(0.2)", "SELECT 1 / 0"])
            }
            try await waitUntil {
                let write = database.statistics.write
                return write.inFlight > 0 || write.errors["22"] != nil
            }
            try await database.write.batch([one])
            #expect(await failing?.sqlState == "22012")
        }
    }

    @Test func `a plan that is stale on every connection fails nobody`() async throws {
        try await Server.withDatabase({ $0.write.connections = 4 }) { (database) async throws in
            try await database.write.run("CREATE TABLE wide (a int)")
            for column in 0..<10 {
                try await withThrowingDiscardingTaskGroup { group in
                    for _ in 0..<16 {
                        group.addTask {
                            try await database.write.batch(["SELECT *, pg_sleep(0.005) FROM wide"])
                        }
                    }
                }
                try await database.withConnection {
                    try await $0.script("ALTER TABLE wide ADD b\(column) int")
                }
            }
        }
    }

    @Test func `a function's row is read after its table changed the type of a column`() async throws {
        try await Server.withDatabase { (database) async throws in
            try await database.write.batch([
                "CREATE TABLE named (name text)", "INSERT INTO named VALUES ('Ann')",
                """
                CREATE FUNCTION found() RETURNS TABLE (it named, at timestamptz) LANGUAGE sql STABLE AS
                'SELECT n, now() FROM named n'
                """,
            ])
            let name: Statement = "SELECT (it).name::text FROM found()"
            for kind in ["varchar(100)", "text", "varchar(50)"] {
                for lane in [database.read, database.write] {
                    #expect(try await lane.first(name) { try $0.next(as: String.self) } == "Ann")
                }
                try await database.write.run(
                    Statement(text: "ALTER TABLE named ALTER name TYPE \(kind)"))
            }
            #expect(try await database.read.first(name) { try $0.next(as: String.self) } == "Ann")
        }
    }
}
