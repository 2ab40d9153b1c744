package import Postgres

/// One pass over a table that checks several invariants of its rows at once.
package struct TableCheck: Sendable {
    /// The table's home key.
    package enum Home: Sendable {
        case user, name
        /// The column of the table that holds it.
        case text(StaticString)

        /// The SQL type in which home keys are compared.
        package var type: Statement { isUser ? "uuid" : "text" }

        package var isUser: Bool {
            if case .user = self { true } else { false }
        }
    }

    package typealias Repairs = @Sendable (_ homes: [String]) -> [Statement]

    package let table: StaticString
    package let home: Home
    /// How many rows one statement checks, in a second or less.
    package let sliceRows: Int
    /// Whether its rows are counted. False if another check counts the same rows, or there are few.
    package let countsRows: Bool
    package let invariants: [Invariant]
    /// Returns a query with the columns `home`, `key`, a readable name of the row, and one for each
    /// invariant, which is true if the row breaks it.
    ///
    /// Its query `mine` reads the table where `within` holds for the home key. What other homes have is
    /// looked up by inner joins, each in a query of its own, with the key of `mine`: on Citus an outer join
    /// would copy the other table.
    package let rows: @Sendable (_ within: (Statement) -> Statement) -> Statement
    /// Statements that repair the rows of some homes, in this order, while nobody else writes them.
    package let repairs: Repairs
    /// Statements that repair names of some homes. They run before users are locked, as in every write.
    package let repairsOfNames: Repairs
    /// Whether repairs write both rows of the homes' pairs.
    package let changesPairs: Bool

    package init(
        table: StaticString, home: Home, sliceRows: Int = 20_000, countsRows: Bool = true,
        invariants: [Invariant],
        rows: @escaping @Sendable (_ within: (Statement) -> Statement) -> Statement,
        repairs: @escaping Repairs = { _ in [] }, repairsOfNames: @escaping Repairs = { _ in [] },
        changesPairs: Bool = false
    ) {
        self.table = table
        self.home = home
        self.sliceRows = sliceRows
        self.countsRows = countsRows
        self.invariants = invariants
        self.rows = rows
        self.repairs = repairs
        self.repairsOfNames = repairsOfNames
        self.changesPairs = changesPairs
    }

    /// Compares a column with a value so that a join finds each row by an index. With `=` the planner may
    /// read the whole other table instead, which it takes for cheaper.
    package static func found(_ column: Statement, _ value: Statement) -> Statement {
        "\(column) = ANY (ARRAY[\(value)])"
    }

    /// Whether any invariant can be repaired.
    package var hasRepairs: Bool { invariants.contains { $0.remedy == .repair } }
}
