import Foundation
import Testing

@testable import Kernel

@Suite struct JWKSRefreshTests {
    private let start = ContinuousClock.now

    @Test(arguments: [
        ("max-age=3600", 3600), ("public, max-age=19204, must-revalidate", 19204), ("Max-Age=\"120\"", 120),
        ("max-age=0", 0), ("no-store", 3600), ("s-maxage=7", 3600), ("max-age=-5", 0), ("max-age=x", 3600),
        ("", 3600),
    ])
    func `max-age is read from Cache-Control`(_ header: String, _ seconds: Int) {
        #expect(JWKSRefresh.maxAge(header) == .seconds(seconds))
    }

    @Test(arguments: [
        ("max-age=0", 60), ("max-age=600", 600), ("max-age=1e12", 86_400), ("max-age=1000000000000", 86_400),
        ("max-age=99999999999999999999999999", 86_400), ("max-age=1e999", 3600), ("max-age=nan", 3600),
    ])
    func `keys are fresh for one minute to one day`(_ header: String, _ seconds: Int) {
        var refresh = JWKSRefresh()
        refresh.begin(at: start)
        refresh.succeed(at: start, maxAge: JWKSRefresh.maxAge(header))
        #expect(refresh.decision(knowsKey: true, at: start + .seconds(seconds - 1)) == .use)
        let atEnd = refresh.decision(knowsKey: true, at: start + .seconds(seconds))
        #expect(atEnd == (seconds == 86_400 ? .fetch : .useAndFetch))
    }

    @Test func `requests wait for the first keys`() {
        #expect(JWKSRefresh().decision(knowsKey: false, at: start) == .fetch)
    }

    @Test func `no request waits for a provider that has just failed`() {
        var refresh = JWKSRefresh()
        refresh.begin(at: start)
        refresh.succeed(at: start, maxAge: .seconds(600))
        let late = start + .seconds(600)
        refresh.begin(at: late)
        refresh.fail(at: late)
        #expect(refresh.decision(knowsKey: true, at: late + .seconds(59)) == .use)
        #expect(refresh.decision(knowsKey: true, at: late + .seconds(60)) == .useAndFetch)
        #expect(refresh.decision(knowsKey: true, at: late + .seconds(7200)) == .useAndFetch)
        #expect(refresh.decision(knowsKey: true, at: start + .seconds(86_400)) == .fetch)
    }

    @Test func `requests wait while overdue keys are fetched`() {
        var refresh = JWKSRefresh()
        refresh.begin(at: start)
        refresh.succeed(at: start, maxAge: .seconds(600))
        let late = start + .seconds(700)
        #expect(refresh.decision(knowsKey: true, at: late) == .fetch)
        refresh.begin(at: late)
        #expect(refresh.decision(knowsKey: true, at: late + .seconds(1)) == .fetch)
        refresh.fail(at: late + .seconds(5))
        #expect(refresh.decision(knowsKey: true, at: late + .seconds(6)) == .use)
    }
}
