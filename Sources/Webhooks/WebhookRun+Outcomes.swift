import Events
import Foundation
import Kernel

/// Handles the outcomes of deliveries.
extension WebhookRun {
    func handle(_ outcome: WebhookSender.Outcome, of event: Event) {
        let wasProbe = endProbe()
        switch outcome {
        case .delivered:
            succeed()
            tried.remove(event.id)
            window.finish(event)
        case .gone:
            window.putBack(event)
            pause("it answers with status 410")
        case .failed(let reason, let asked):
            refused.insert(event.kind)
            fail(reason, asked, wasProbe, isFirst: tried.insert(event.id).inserted)
            // A failed probe leaves the place to others: the endpoint may refuse only this event.
            if progress.failingSince == nil || wasProbe {
                tried.remove(event.id)
                park(event, reason, asked)
            } else {
                window.putBack(event)
            }
        }
    }

    func handle(_ line: RetriedLine) {
        let wasProbe = endProbe()
        for _ in line.delivered { succeed() }
        progress.settled += (line.delivered + line.gone).map(\.id)
        progress.missed += Int64(line.gone.count)
        if let (event, outcome) = line.failed {
            switch outcome {
            case .delivered: break
            case .gone: pause("it answers with status 410")
            case .failed(let reason, let asked):
                fail(reason, asked, wasProbe, isFirst: false)
                retryLater(event, reason, asked)
            }
        }
        retrying.remove(line.user)
        progress.users.insert(line.user)
        note()
    }

    private func endProbe() -> Bool {
        defer { isProbing = false }
        return isProbing
    }

    private func succeed() {
        means.metrics.count(.delivered)
        refused = []
        guard progress.failures > 0 else { return }
        if progress.failingSince != nil { means.report(.recovered) }
        (progress.failures, progress.failingSince, progress.probeAt) = (0, nil, nil)
        note()
    }

    /// - Parameter isFirst: whether the event was not sent before. A repeated failure says little about the
    ///   endpoint, which may not want just this event.
    private func fail(_ reason: String, _ asked: Int?, _ wasProbe: Bool, isFirst: Bool) {
        means.metrics.count(.failed)
        let now = means.now()
        progress.lastError = (reason, now)
        failedAt = asked == nil ? now : nil
        note()
        // Of many deliveries that were under way when the endpoint began to fail, only the first ones count.
        guard progress.failingSince == nil || wasProbe else { return }
        if isFirst { progress.failures += 1 }
        guard progress.failures >= means.policy.failures else { return }
        if progress.failingSince == nil {
            progress.failingSince = now
            means.report(.failing(reason))
        }
        progress.probeAt = means.policy.probe(
            after: progress.failures, now: now, asked: asked, jitter: .random(in: 0...1))
        if isFirst, let since = progress.failingSince,
            now.timeIntervalSince(since) >= means.policy.giveUpAfter
        {
            pause(reason)
        }
    }

    private func pause(_ reason: String) {
        guard progress.pausedAt == nil else { return }
        let now = means.now()
        progress.pausedAt = now
        progress.lastError = (reason, now)
        means.report(.paused(reason))
        note()
        isOver = true
    }

    /// Parks a failed event. Later events of the same user wait too.
    private func park(_ failed: Event, _ reason: String, _ asked: Int?) {
        for event in window.remove(failed.userID) {
            parkedCount += 1
            if event.id == failed.id {
                retryLater(ParkedEvent(id: event.id, user: event.userID), reason, asked)
            } else {
                park(ParkedEvent(id: event.id, user: event.userID))
            }
        }
    }

    private func retryLater(_ event: ParkedEvent, _ reason: String, _ asked: Int?) {
        var event = event
        let now = means.now()
        event.attempts += 1
        event.firstFailedAt = event.firstFailedAt ?? now
        event.lastError = reason
        event.dueAt = means.policy.retry(
            after: event.attempts, firstFailed: event.firstFailedAt ?? now, now: now, asked: asked,
            jitter: .random(in: 0...1))
        if event.dueAt == nil {
            event.deadAt = now
            progress.users.insert(event.user)
            means.metrics.count(.dead)
        }
        park(event)
    }
}

/// Probes.
extension WebhookRun {
    /// Takes an event of a type that was not refused, or else one that was not sent yet, the oldest and the
    /// newest in turn. Otherwise a user who makes many refused events would have those of all others wait for
    /// a probe each.
    func takeForProbe() -> Event? {
        defer { probesNewest.toggle() }
        return window.take(newest: probesNewest, against: objections)
    }

    /// Whether there is an event of a type that was not refused. It need not wait as long as the others.
    var isOtherReady: Bool {
        guard let failedAt, !refused.isEmpty, means.now() >= failedAt + means.policy.firstProbe else {
            return false
        }
        return window.hasReady { objections(to: $0) == 0 }
    }

    private func objections(to event: Event) -> Int {
        (tried.contains(event.id) ? 2 : 0) + (refused.contains(event.kind) ? 1 : 0)
    }
}

/// Events of one user that were sent again, one after another until one failed.
struct RetriedLine: Sendable {
    let user: User.ID
    private(set) var delivered: [ParkedEvent] = []
    /// Events that are no longer kept.
    private(set) var gone: [ParkedEvent] = []
    private(set) var failed: (ParkedEvent, WebhookSender.Outcome)?

    init(_ line: [ParkedEvent], by sender: WebhookSender, of store: EventStore) async {
        user = line[0].user
        guard let read = try? await store.read(line.map(\.id)) else { return }
        let events = Dictionary(read.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        for parked in line {
            guard let event = events[parked.id] else {
                gone.append(parked)
                continue
            }
            let outcome = await sender.send(event)
            guard outcome == .delivered else {
                failed = (parked, outcome)
                return
            }
            delivered.append(parked)
        }
    }
}
