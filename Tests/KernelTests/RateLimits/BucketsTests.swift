import Testing

@testable import Kernel
@testable import Web

/// Which keys stay in memory, and which are evicted.
struct BucketsTests {
    private static let bound = 1 << 16
    private let buckets = Buckets(mostKeys: bound)

    private func key(_ number: Int, _ limit: RateLimit = .resolve) -> RateLimitKey {
        RateLimitKey(limit: limit, subject: .init(high: 0, low: UInt64(number)))
    }

    private func spend(_ key: RateLimitKey, _ rate: GCRA, now: Int64) -> GCRA.Verdict {
        buckets.update(key, now: now) { rate.spend(&$0.fullAt, now: now) }
    }

    @Test func `a million keys take bounded memory, and a key at its limit is not evicted`() throws {
        let rate = try #require(GCRA(quota: 30, window: 60))
        #expect(buckets.size <= 64 * 64 * 32)
        for _ in 0..<30 { #expect(spend(key(0), rate, now: 0).isAllowed) }
        for number in 1...1_000_000 {
            _ = spend(key(number), rate, now: Int64(number))
            if number % 100_000 == 0 { #expect(!spend(key(0), rate, now: Int64(number)).isAllowed) }
        }
        #expect(buckets.size == Self.bound * 32)
    }

    @Test func `counted codes are evicted first`() throws {
        let rate = try #require(GCRA(quota: 30, window: 60))
        let once = try #require(GCRA(quota: 1, window: 60))
        #expect(spend(key(0), rate, now: 0).remaining == 29)
        for number in 1...500_000 { _ = spend(key(number, .sameCode), once, now: 0) }
        #expect(spend(key(0), rate, now: 0).remaining == 28)
    }

    @Test func `idle keys make room before the table grows`() throws {
        let rate = try #require(GCRA(quota: 30, window: 60))
        for number in 0..<100_000 { _ = spend(key(number), rate, now: Int64(number) * 1_000_000) }
        #expect(buckets.size <= 64 * 64 * 32)
    }

    @Test func `the table forgets nothing as it grows`() throws {
        let rate = try #require(GCRA(quota: 30, window: 60))
        let many = Buckets(mostKeys: 1 << 18)
        for number in 0..<20_000 {
            _ = many.update(key(number), now: 0) { rate.spend(&$0.fullAt, now: 0) }
        }
        #expect((0..<20_000).allSatisfy { many.fullAt(key($0)) == rate.cost })
        #expect(many.fullAt(key(1, .accept)) == nil)
    }
}
