import Foundation
package import Web

/// How events are delivered, and when Kith gives up. Only tests change more than the reach.
package struct WebhookPolicy: Sendable {
    /// `KITH_WEBHOOK_PRIVATE_ADDRESSES`; deny. Whether events may go to the operator's own network.
    package var reach = PublicAddress.Reach.isPublic
    /// How many endpoints there may be.
    package var mostWebhooks = 20
    /// How many deliveries to one endpoint are under way at once.
    package var atOnce = 64
    /// How long an endpoint may take to answer.
    var timeout = Duration.seconds(15)
    /// How long after each failure an event is sent again, until `giveUpAfter`. The last one repeats.
    var retries: [TimeInterval] = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]
    /// How long Kith tries to deliver an event, and how long an endpoint may fail before it is paused.
    var giveUpAfter: TimeInterval = 3 * 86_400
    /// How many failures in a row put an endpoint into the failing state.
    var failures = 5
    /// When a failing endpoint is tried again for the first time. The time doubles with each try, up to
    /// `longestProbe`.
    var firstProbe: TimeInterval = 5
    var longestProbe: TimeInterval = 3600
    /// How long a server that delivers may be silent before another one takes over.
    var lease: TimeInterval = 20
    /// How often progress is written.
    var saving = Duration.seconds(1)
    /// How long an old secret also signs.
    var rotation: TimeInterval = 86_400
    /// How many events may wait for an endpoint one by one, before it gets no new ones.
    var mostParked = 10_000
    /// How many events of one user may wait, once the first one was tried `triesInCrowd` times.
    var mostOfUser = 100
    var triesInCrowd = 3
    /// How many events are read at once.
    var page = 500

    package init() {}

    /// Returns when to send an event again.
    /// - Parameters:
    ///   - attempts: how often it was sent.
    ///   - asked: the seconds for which the endpoint asked.
    ///   - jitter: a number from 0 to 1.
    /// - Returns: the time. Nil if never.
    func retry(after attempts: Int, firstFailed: Date, now: Date, asked: Int?, jitter: Double) -> Date? {
        let end = firstFailed + giveUpAfter
        guard now < end else { return nil }
        let usual = retries[min(attempts, retries.count) - 1] * (0.9 + 0.2 * jitter)
        return min(end, now + max(usual, Double(asked ?? 0)))
    }

    /// Returns when to try a failing endpoint again.
    func probe(after failures: Int, now: Date, asked: Int?, jitter: Double) -> Date {
        let usual = firstProbe * pow(2, Double(min(max(0, failures - self.failures), 30)))
        return now + min(longestProbe, max(usual, Double(asked ?? 0))) * (0.9 + 0.1 * jitter)
    }
}
