import Testing

@testable import Postgres

@Suite struct PlanCacheTests {
    @Test func `a full cache evicts the oldest plan, which is deallocated`() {
        var plans = PlanCache(capacity: 2)
        for sql in ["a", "b", "c"] { _ = plans.use(Statement(text: sql), confirmedOnly: false) }
        #expect(take(&plans) == ["k1"])
        #expect(use("b", &plans) == .prepared(name: "k2"))
        #expect(use("a", &plans) == .prepare(name: "k4"))
        #expect(take(&plans) == ["k2"])
    }

    @Test func `the same text with other types is another plan, but an untyped NULL fits any`() {
        var plans = PlanCache()
        let any = Bind(oid: 0, bytes: nil)
        #expect(use(statement(1.bind), &plans) == .prepare(name: "k1"))
        #expect(use(statement(any), &plans) == .prepared(name: "k1"))
        #expect(use(statement("x".bind), &plans) == .prepare(name: "k2"))
        #expect(plans.dropped == ["k1"])
    }

    @Test(arguments: zip([0, 1, 2, 8, 40], [0, 50, 100, 500, 500]))
    func `waits double up to half a second`(failures: Int, milliseconds: Int) {
        var backoff = Backoff()
        for _ in 0..<failures { _ = backoff.next() }
        var low = backoff
        let longest = backoff.next(random: 1)
        #expect(longest == .milliseconds(milliseconds))
        let shortest = low.next(random: 0)
        #expect(shortest == .milliseconds(milliseconds / 2))
    }

    private func take(_ plans: inout PlanCache) -> [String] { plans.takeDropped() }

    private func use(_ statement: Statement, _ plans: inout PlanCache) -> PlanCache.Use {
        plans.use(statement, confirmedOnly: false)
    }

    private func statement(_ bind: Bind) -> Statement {
        struct Value: PostgresEncodable { let bind: Bind }
        return "SELECT \(Value(bind: bind))"
    }
}
