import Logging
import TestSupport
import Testing

@testable import AppTesting
@testable import Web

@Suite struct PausedLogTests {
    @Test
    func
        `each of many subjects has a line a pause, and new ones have theirs once the pauses of others are over`()
    {
        let (lines, start) = (LogLines(), ContinuousClock.now)
        let log = PausedLog("cannot fetch a picture", every: .seconds(600))
        func note(_ subjects: Range<Int>, at seconds: Int) -> Int {
            let before = lines.all.count
            for subject in subjects {
                for _ in 0..<2 {
                    log.note(of: "host\(subject)", to: lines.logger, at: start + .seconds(seconds))
                }
            }
            return lines.all.count - before
        }
        #expect(note(0..<1000, at: 0) == 1000)
        #expect(note(1000..<1001, at: 599) == 0, "so many say enough")
        #expect(note(1000..<1002, at: 600) == 2)
        #expect(note(0..<1, at: 601) == 1)
    }

    @Test(.timeLimit(.minutes(1)))
    func `what happened within a pause is told at its end, though nothing happens any more`() async throws {
        let lines = LogLines()
        let log = PausedLog("requests failed", counting: "requests", every: .milliseconds(50))
        for number in 0..<20 { log.note(["id": "\(number)"], of: "GET /v1/me", to: lines.logger) }
        try await waitUntil("it is told") { lines.all.count == 2 }
        #expect(lines.all[0].contains("requests=1") && lines.all[1].contains("requests=19"), "\(lines.all)")
        log.tellRest([:], of: "GET /v1/me", to: lines.logger, at: .now + .seconds(1))
        #expect(lines.all.count == 2)
    }
}
