import Testing

@testable import Postgres

/// Statements interpolated into others.
@Suite struct StatementTests {
    @Test func `a value becomes a bind, and a statement a part of the text with its values renumbered`() {
        let isMine: Statement = "owner = \("ann") AND kind = \("auto")"
        let statement: Statement = "SELECT \(1) FROM invites WHERE \(isMine) OR \(isMine) LIMIT \(9)"
        #expect(
            statement.sql == """
                SELECT $1 FROM invites WHERE owner = $2 AND kind = $3 OR owner = $4 AND kind = $5 LIMIT $6
                """)
        #expect(statement.binds.map(\.size) == [8, 3, 4, 3, 4, 8])
    }

    @Test func `a string that looks like SQL stays a value, also in a part`() {
        let part: Statement = "name = \("' OR $1 = $2; --")"
        let statement: Statement = "SELECT \(0) WHERE \(part)"
        #expect(statement.sql == "SELECT $1 WHERE name = $2")
    }

    @Test func `other dollar signs stay as they are`() {
        let part: Statement = "name ~ '^a$' AND id = \(1) AND note = 'US$'"
        let statement: Statement = "SELECT \(0) WHERE \(part)"
        #expect(statement.sql == "SELECT $1 WHERE name ~ '^a$' AND id = $2 AND note = 'US$'")
    }

    @Test func `nested parts and more than nine values keep their order`() {
        let values: [Statement] = (1...12).map { "\(Int16($0))" }
        let list: Statement = "(\(values.joined(separator: ", ")))"
        let statement: Statement = "SELECT \(true) IN \(list)"
        #expect(
            statement.sql == "SELECT $1 IN ($2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)")
        #expect(statement.binds.count == 13)
        #expect([Statement]().joined(separator: ", ").sql.isEmpty)
    }
}
