/// Which statements a connection has prepared, by their text.
///
/// Pure; belongs to `PipelineState`.
struct PlanCache {
    enum Use: Equatable {
        /// The server has it, or will have when it comes to it in this group.
        case prepared(name: String)
        /// It must be prepared under this name first.
        case prepare(name: String)
        /// Parse it for this one time.
        case unnamed
    }

    private struct Plan {
        let name: String
        let oids: [UInt32]
        var isConfirmed = false

        /// A NULL of no stated type fits any plan.
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
    /// Names the server still holds and nobody will use again.
    private(set) var dropped: [String] = []

    init(capacity: Int = 500) {
        self.capacity = capacity
    }

    /// Where statements do not share a Sync, one must not count on another's Parse still under way.
    mutating func use(_ statement: Statement, confirmedOnly: Bool) -> Use {
        if let plan = plans[statement.sql], plan.fits(statement.binds) {
            return plan.isConfirmed || !confirmedOnly ? .prepared(name: plan.name) : .unnamed
        }
        if confirmedOnly { return .unnamed }
        drop(statement.sql)
        while plans.count >= capacity { evictOldest() }
        issued += 1
        let name = "k\(issued)"
        plans[statement.sql] = Plan(name: name, oids: statement.binds.map(\.oid))
        oldestFirst.append((statement.sql, name))
        return .prepare(name: name)
    }

    /// Whether the server has it for certain.
    func isConfirmed(_ statement: Statement) -> Bool {
        guard let plan = plans[statement.sql] else { return false }
        return plan.isConfirmed && plan.fits(statement.binds)
    }

    mutating func confirm(_ sql: String) {
        plans[sql]?.isConfirmed = true
    }

    /// Its Parse failed or never ran: the server knows nothing of it.
    mutating func forget(_ sql: String) {
        if let plan = plans.removeValue(forKey: sql) { oldestFirst.removeAll { $0.name == plan.name } }
    }

    /// The server has it, but it must not be used any more.
    mutating func drop(_ sql: String) {
        guard let plan = plans[sql] else { return }
        forget(sql)
        dropped.append(plan.name)
    }

    /// The server has them, but none of them must be used any more.
    mutating func dropConfirmed() {
        for sql in plans.filter(\.value.isConfirmed).keys { drop(sql) }
    }

    mutating func takeDropped() -> [String] {
        defer { dropped.removeAll() }
        return dropped
    }

    private mutating func evictOldest() {
        let (sql, name) = oldestFirst.removeFirst()
        plans[sql] = nil
        dropped.append(name)
    }
}
