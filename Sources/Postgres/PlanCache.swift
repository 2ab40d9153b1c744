/// The statements that a connection has prepared, by their text.
///
/// It does no I/O and belongs to `PipelineState`.
struct PlanCache {
    enum Use: Equatable {
        /// The server has the statement, or will have it when it reaches this use of it in the group.
        case prepared(name: String)
        /// The statement must first be prepared under this name.
        case prepare(name: String)
        /// The statement is parsed for this use only.
        case unnamed
    }

    private struct Plan {
        let name: String
        let oids: [UInt32]
        var isConfirmed = false

        /// Whether the binds have the plan's types; an untyped NULL fits any.
        func fits(_ binds: [Bind]) -> Bool {
            guard oids.count == binds.count else { return false }
            for (oid, bind) in zip(oids, binds) where oid != bind.oid && !(bind.oid == 0 && bind.size == nil)
            {
                return false
            }
            return true
        }
    }

    private let capacity: Int
    private var plans: [String: Plan] = [:]
    private var oldestFirst: [(sql: String, name: String)] = []
    private var issued = 0
    /// Names that the server still holds but nobody will use again.
    private(set) var dropped: [String] = []

    /// Whether names that nobody uses any more are deallocated.
    private let deallocates: Bool

    init(capacity: Int = 500, deallocates: Bool = true) {
        self.capacity = capacity
        self.deallocates = deallocates
    }

    /// A cache for sessions behind this pooler.
    init(_ pooler: Database.Pooler) {
        // A pooler that keeps prepared statements gives them other names at the server.
        self.init(capacity: pooler == .transaction ? 0 : 500, deallocates: pooler == .none)
    }

    /// Whether nothing is ever prepared.
    var isOff: Bool { capacity == 0 }

    /// Decides how to run the statement. `confirmedOnly` is for statements that do not share a Sync: such a
    /// statement must not rely on another's pending Parse.
    mutating func use(_ statement: Statement, confirmedOnly: Bool) -> Use {
        if let plan = plans[statement.sql], plan.fits(statement.binds) {
            return plan.isConfirmed || !confirmedOnly ? .prepared(name: plan.name) : .unnamed
        }
        if confirmedOnly || isOff { return .unnamed }
        drop(statement.sql)
        while plans.count >= capacity { evictOldest() }
        issued += 1
        let name = "k\(issued)"
        plans[statement.sql] = Plan(name: name, oids: statement.binds.map(\.oid))
        oldestFirst.append((statement.sql, name))
        return .prepare(name: name)
    }

    /// Whether the server certainly has the statement.
    func isConfirmed(_ statement: Statement) -> Bool {
        guard let plan = plans[statement.sql] else { return false }
        return plan.isConfirmed && plan.fits(statement.binds)
    }

    mutating func confirm(_ sql: String) {
        plans[sql]?.isConfirmed = true
    }

    /// Removes a statement whose Parse failed or never ran: the server does not have it.
    mutating func forget(_ sql: String) {
        if let plan = plans.removeValue(forKey: sql) { oldestFirst.removeAll { $0.name == plan.name } }
    }

    /// Stops the use of a statement that the server has.
    mutating func drop(_ sql: String) {
        guard let plan = plans[sql] else { return }
        forget(sql)
        dropped.append(plan.name)
    }

    /// Stops the use of all statements that the server certainly has.
    mutating func dropConfirmed() {
        for sql in plans.filter(\.value.isConfirmed).keys { drop(sql) }
    }

    mutating func takeDropped() -> [String] {
        defer { dropped.removeAll() }
        return deallocates ? dropped : []
    }

    private mutating func evictOldest() {
        let (sql, name) = oldestFirst.removeFirst()
        plans[sql] = nil
        dropped.append(name)
    }
}
