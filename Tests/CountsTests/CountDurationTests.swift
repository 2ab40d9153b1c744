import Foundation
import Testing

@testable import Counts

/// How long something took, in steps.
struct CountDurationTests {
    @Test(arguments: [
        (0.0, "1"), (-5, "1"), (1, "1"), (2, "2"), (60, "53"), (3600, "3444"), (86_400, "77935"),
        (1e12, "28215801"),
    ])
    func `a time is the beginning of its step`(seconds: Double, value: String) {
        #expect(CountDuration.value(seconds) == value)
    }

    @Test func `steps are few, and no time is further than a fifth from its own`() {
        var values: Set<String> = []
        for seconds in stride(from: 4.0, to: 3e7, by: 997) {
            let value = CountDuration.value(seconds)
            values.insert(value)
            #expect((Double(value) ?? 0) > seconds * 0.8 - 1)
        }
        #expect(values.count <= 100)
    }

    @Test func `a quantile is the least time within which that share is`() {
        let counts: [String: Int64] = ["10": 5, "100": 4, "1000": 1]
        #expect(CountDuration.quantile(0.5, of: counts) == 10)
        #expect(CountDuration.quantile(0.9, of: counts) == 100)
        #expect(CountDuration.quantile(1, of: counts) == 1000)
        #expect(CountDuration.quantile(0.5, of: [:]) == nil)
    }
}
