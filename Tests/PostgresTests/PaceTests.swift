import Testing

@testable import Postgres

@Suite struct PaceTests {
    @Test func `a pace is the time between requests while others wait, and no other time`() {
        var pace = Pace()
        var now: Nanoseconds = 1_000
        func take(after time: Nanoseconds, othersWait: Bool = true) {
            now += time
            pace.took(1, at: now, othersWait: othersWait)
        }
        take(after: 0)
        #expect(pace.time(for: 1_000) == 0)
        for _ in 0..<200 { take(after: 3_200) }
        #expect((2_900_000...3_200_000).contains(pace.time(for: 1_000)))
        let before = pace.time(for: 1)
        take(after: 3_200, othersWait: false)
        take(after: 9_000_000_000)
        pace.pause()
        take(after: 9_000_000_000)
        #expect((before - 20...before + 20).contains(pace.time(for: 1)))
    }

    @Test func `those taken together share their time`() {
        var pace = Pace()
        for turn in 0..<200 { pace.took(8, at: Nanoseconds(turn) * 8_000, othersWait: true) }
        #expect((900...1_000).contains(pace.time(for: 1)))
    }
}
