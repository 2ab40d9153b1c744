import Postgres
import Synchronization
import Testing

@testable import AppTesting
@testable import HTTPServer
@testable import Kith

/// The log while the database is away, however many callers try.
@Suite struct DatabaseLogTests {
    private final class Clock: Sendable {
        private let time = Mutex(ContinuousClock.now)
        var now: ContinuousClock.Instant { time.withLock { $0 } }
        func advance(_ duration: Duration) { time.withLock { $0 += duration } }
    }

    private let lines = LogLines()
    private let clock = Clock()

    private func log() -> DatabaseLog { DatabaseLog(lines.logger) { [clock] in clock.now } }

    @Test
    func `a minute's outage with fifty attempts a second logs a few lines, the last with its length`() {
        let log = log()
        for lane in ["read", "write", "pages"] { log.note(.connected(lane: lane)) }
        for lane in ["read", "write", "pages"] { log.note(.disconnected(lane: lane, reason: "gone")) }
        for _ in 0..<3000 {
            log.note(.connectFailed(lane: "read", reason: "refused"))
            clock.advance(.milliseconds(20))
        }
        for lane in ["read", "write", "pages"] { log.note(.connected(lane: lane)) }
        #expect(
            lines.all == [
                "warning: database connection lost connections=1 lane=read reason=gone",
                "warning: cannot reach the database away=0.0 s lane=read reason=refused tries=1",
                "warning: cannot reach the database away=10.0 s lane=read reason=refused tries=500",
                "warning: cannot reach the database away=20.0 s lane=read reason=refused tries=500",
                "warning: cannot reach the database away=30.0 s lane=read reason=refused tries=500",
                "warning: cannot reach the database away=40.0 s lane=read reason=refused tries=500",
                "warning: cannot reach the database away=50.0 s lane=read reason=refused tries=500",
                "notice: database reached again away=60.0 s",
            ])
    }

    @Test func `a database that comes and goes all the time logs two lines in ten seconds`() {
        let log = log()
        for _ in 0..<1000 {
            log.note(.connectFailed(lane: "write", reason: "too many clients"))
            clock.advance(.milliseconds(10))
            log.note(.connected(lane: "write"))
            log.note(.disconnected(lane: "write", reason: nil))
        }
        #expect(
            lines.all == [
                "warning: cannot reach the database away=0.0 s lane=write reason=too many clients tries=1",
                "notice: database reached again away=0.0 s",
            ])
    }

    @Test func `while other connections are open, the database does not count as away`() {
        let log = log()
        for _ in 0..<6 { log.note(.connected(lane: "write")) }
        for _ in 0..<100 {
            log.note(.connectFailed(lane: "write", reason: "too many clients"))
            clock.advance(.milliseconds(100))
        }
        log.note(.connected(lane: "write"))
        #expect(
            lines.all == [
                "warning: cannot open another database connection lane=write open=6 reason=too many clients tries=1"
            ])
        for _ in 0..<7 { log.note(.disconnected(lane: "write", reason: nil)) }
        log.note(.connectFailed(lane: "write", reason: "refused"))
        #expect(
            lines.all.last
                == "warning: cannot reach the database away=0.0 s lane=write reason=refused tries=1")
    }

    @Test func `connections lost one by one are counted`() {
        let log = log()
        for _ in 0..<30 {
            log.note(.connected(lane: "read"))
            log.note(.disconnected(lane: "read", reason: "ended"))
            clock.advance(.seconds(1))
        }
        #expect(lines.all.count == 3)
        #expect(lines.all.last == "warning: database connection lost connections=10 lane=read reason=ended")
    }

    @Test func `newly refused clients are logged`() {
        let connections = OpenConnections(limit: 1)
        let log = TurnedAwayLog(connections: connections, logger: lines.logger)
        #expect(log.tell(since: 0) == 0)
        for _ in 0..<4 { _ = connections.take() }
        #expect(log.tell(since: 0) == 3)
        #expect(log.tell(since: 3) == 3)
        #expect(lines.all.count == 1)
        #expect(lines.all.first?.contains("limit=1 refused=3") == true)
    }
}
