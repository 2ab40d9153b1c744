import Testing

@testable import Kernel

/// The algorithm alone.
struct GCRATests {
    private struct Step: Sendable {
        /// Milliseconds.
        let at: Int64
        let isAllowed: Bool
        let remaining: Int
        let untilFull: Int
        var retryAfter = 0
    }

    /// Three in six seconds: one more every two seconds.
    private static let steps = [
        Step(at: 0, isAllowed: true, remaining: 2, untilFull: 2),
        Step(at: 0, isAllowed: true, remaining: 1, untilFull: 4),
        Step(at: 0, isAllowed: true, remaining: 0, untilFull: 6),
        Step(at: 0, isAllowed: false, remaining: 0, untilFull: 6, retryAfter: 2),
        Step(at: 1999, isAllowed: false, remaining: 0, untilFull: 5, retryAfter: 1),
        Step(at: 2000, isAllowed: true, remaining: 0, untilFull: 6),
        Step(at: 2001, isAllowed: false, remaining: 0, untilFull: 6, retryAfter: 2),
        Step(at: 8000, isAllowed: true, remaining: 2, untilFull: 2),
        Step(at: 100_000, isAllowed: true, remaining: 2, untilFull: 2),
        // A clock set back by a day locks nobody out for longer than a window.
        Step(at: -86_400_000, isAllowed: false, remaining: 0, untilFull: 6, retryAfter: 2),
    ]

    @Test func `the whole quota is allowed at once, then one call after each interval`() throws {
        let rate = try #require(GCRA(quota: 3, window: 6))
        var fullAt = Int64.min
        for step in Self.steps {
            let verdict = rate.spend(&fullAt, now: step.at * 1000)
            #expect(
                verdict
                    == GCRA.Verdict(
                        isAllowed: step.isAllowed, remaining: step.remaining, untilFull: step.untilFull,
                        retryAfter: step.retryAfter), "at \(step.at)")
        }
    }

    @Test func `a check counts no call`() throws {
        let rate = try #require(GCRA(quota: 1, window: 10))
        var fullAt = Int64.min
        #expect(rate.check(&fullAt, now: 0).isAllowed && rate.check(&fullAt, now: 0).isAllowed)
        #expect(rate.spend(&fullAt, now: 0).isAllowed)
        #expect(rate.check(&fullAt, now: 0) == rate.spend(&fullAt, now: 0))
    }

    @Test(arguments: [true, false])
    func `a clock set back by a day locks nobody out for longer than a window`(looks: Bool) throws {
        let (rate, day) = (try #require(GCRA(quota: 1, window: 10)), Int64(86_400_000_000))
        var fullAt = Int64.min
        _ = rate.spend(&fullAt, now: day)
        let first = looks ? rate.check(&fullAt, now: 0) : rate.spend(&fullAt, now: 0)
        #expect(!first.isAllowed && first.retryAfter == 10)
        #expect(rate.spend(&fullAt, now: 10_000_000).isAllowed)
    }

    @Test(arguments: [(0, 1), (1, 0), (-1, 60), (1_000_001, 1)])
    func `an impossible rate is refused`(quota: Int, window: Int) {
        #expect(GCRA(quota: quota, window: window) == nil)
    }

    @Test func `any period allows at most the quota and the calls of the elapsed time`() throws {
        let rate = try #require(GCRA(quota: 7, window: 3))
        var generator = SystemRandomNumberGenerator()
        var (fullAt, now, allowed) = (Int64.min, Int64(0), [Int64]())
        for _ in 0..<5000 {
            now += Int64.random(in: 0...300_000, using: &generator)
            if rate.spend(&fullAt, now: now).isAllowed { allowed.append(now) }
        }
        for (first, start) in allowed.enumerated() {
            let end = start + 3_000_000
            let count = allowed[first...].prefix { $0 < end }.count
            #expect(count <= 14)
        }
    }
}
