import Foundation
import Testing

@testable import AppTesting
@testable import Web

/// The `Date` of answers.
@Suite struct HTTPDateTests {
    @Test(arguments: [
        (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
        (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (1_709_251_199, "Thu, 29 Feb 2024 23:59:59 GMT"),
    ])
    func `a time has the form of RFC 9110`(seconds: Int, text: String) {
        #expect(HTTPDate.text(Date(timeIntervalSince1970: TimeInterval(seconds))) == text)
    }

    @Test func `a cached time is that of its second`() {
        let cache = HTTPDate.Cache()
        for (time, end) in [(10.0, "10"), (10.999, "10"), (11.0, "11"), (9.5, "09")] {
            #expect(
                cache.text(at: Date(timeIntervalSince1970: time)) == "Thu, 01 Jan 1970 00:00:\(end) GMT")
        }
    }
}
