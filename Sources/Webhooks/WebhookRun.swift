import Events
import Foundation
import Kernel

/// Delivers to one endpoint, while this server holds it. All state belongs to one loop. Slow work runs beside
/// it, and comes back as a `Step`.
final class WebhookRun {
    enum Step: Sendable {
        case tick, news, unreadable, stop
        case page(EventPage)
        case sent(Event, WebhookSender.Outcome)
        case retried(RetriedLine)
    }

    /// News for the operator.
    enum News: Sendable, Equatable {
        case failing(String)
        case paused(String)
        case recovered
        /// So many events wait one by one that it gets no new ones.
        case stalled(Int)
        /// So many events of one user waited that some became dead letters.
        case crowdedOut(Int)
        case unsaved(String)
    }

    struct Dependencies: Sendable {
        var store: DeliveryStore
        var events: EventStore
        var feed: EventFeed
        var policy: WebhookPolicy
        var now: @Sendable () -> Date
        var metrics: WebhookMetrics
        var report: @Sendable (News) -> Void
        /// Returns when the server ends.
        var stopping: @Sendable () async -> Void
    }

    private(set) var held: HeldWebhook
    let sender: WebhookSender
    let means: Dependencies
    var window: DeliveryWindow
    /// Progress that is not written yet.
    var progress: DeliveryProgress
    /// Users with undelivered events. Their new events queue behind these.
    var parkedUsers: Set<User.ID> = []
    var parkedCount = 0
    /// Events after the position that wait one by one, or are dead letters.
    private var ahead: Set<Int64> = []
    private var isStalled = false
    /// `tried` holds events in the window that failed once. `refused` holds types of which some failed since
    /// the last successful delivery.
    var tried: Set<Int64> = []
    var refused: Set<Event.Kind> = []
    /// When a delivery last failed. Nil if the endpoint said how long to wait.
    var failedAt: Date?
    /// `due` holds events of users that must be sent again now. `retrying` holds users who have some under
    /// way.
    var due: [[ParkedEvent]] = []
    var retrying: Set<User.ID> = []
    var (flying, isProbing) = (0, false)
    /// Whether the next probe sends the newest of the possible events, rather than the oldest.
    var probesNewest = false
    var (isReading, isWaiting, isStopping, isOver) = (false, false, false, false)
    /// Whether the lease is lost, so that nothing may be written any more.
    var isLost = false
    private var savedPosition: Int64
    private var isChanged = false
    private var savedAt = ContinuousClock.now
    private var lookedAt = ContinuousClock.now - .seconds(60)
    private var stopBy: ContinuousClock.Instant?

    init(_ held: HeldWebhook, sender: WebhookSender, means: Dependencies) {
        (self.held, self.sender, self.means) = (held, sender, means)
        window = DeliveryWindow(position: held.position)
        progress = DeliveryProgress(position: held.position)
        (progress.failures, progress.failingSince) = (Int(held.failures), held.failingSince)
        (progress.probeAt, progress.missed) = (held.probeAt, held.missed)
        savedPosition = held.position
    }

    /// Delivers. Returns when the server ends, the task is cancelled, the endpoint is paused or changed, or
    /// another server holds it. Throws if the database cannot be asked at the beginning.
    func run() async throws {
        let waiting = try await means.store.begin(held)
        ahead = waiting.ahead
        see(waiting)
        await withTaskGroup(of: Step.self) { group in
            tick(&group)
            group.addTask { [stopping = means.stopping] in
                await stopping()
                return .stop
            }
            fill(&group)
            while !isOver, let step = await group.next(), !Task.isCancelled {
                await handle(step, &group)
                fill(&group)
            }
            group.cancelAll()
        }
        guard !isLost, !Task.isCancelled else { return }
        await save()
    }

    private func handle(_ step: Step, _ group: inout TaskGroup<Step>) async {
        switch step {
        case .tick:
            await keepTime()
            tick(&group)
        case .stop:
            isStopping = true
            stopBy = .now + .seconds(3)
        case .news: isWaiting = false
        case .unreadable: isReading = false
        case .page(let page):
            isReading = false
            receive(page)
            // If the page was not empty, the following events are read at once.
            if page.isEmpty { waitForNews(&group) }
        case .sent(let event, let outcome):
            flying -= 1
            handle(outcome, of: event)
        case .retried(let line):
            flying -= 1
            handle(line)
        }
        if isStopping, flying == 0 { isOver = true }
    }

    private func tick(_ group: inout TaskGroup<Step>) {
        group.addTask { [time = means.policy.saving] in
            try? await Task.sleep(for: time / 4)
            return .tick
        }
    }

    private func keepTime() async {
        let now = ContinuousClock.now
        if isWaiting { window.rest(at: means.now()) }
        if let stopBy, now > stopBy { isOver = true }
        let isDue = now - savedAt > means.policy.saving
        if isDue,
            isChanged || window.position != savedPosition || now - savedAt > .seconds(means.policy.lease / 4)
        {
            await save()
        }
        if now - lookedAt > means.policy.saving {
            lookedAt = now
            await findDue()
        }
    }

    /// Starts what may be started.
    private func fill(_ group: inout TaskGroup<Step>) {
        // Another server takes over when the lease ends, and this one must have stopped before.
        if ContinuousClock.now - savedAt > .seconds(means.policy.lease * 0.6) {
            (isOver, isLost) = (true, true)
        }
        guard !isStopping, !isOver else { return }
        if let probeAt = progress.probeAt {
            guard flying == 0, hasWork, means.now() >= probeAt || isOtherReady else { return read(&group) }
            isProbing = true
            startOne(&group)
            return
        }
        while flying < means.policy.atOnce, hasWork { startOne(&group) }
        read(&group)
    }

    private var hasWork: Bool { !due.isEmpty || window.hasReady }

    private func startOne(_ group: inout TaskGroup<Step>) {
        let sender = sender
        // New events leave room for those that are sent again. A probe says most with a new event.
        let isForNew = isProbing || due.isEmpty || retrying.count >= means.policy.atOnce / 2
        if isForNew, let event = isProbing ? takeForProbe() : window.take() {
            flying += 1
            group.addTask { .sent(event, await sender.send(event)) }
        } else if let line = due.popLast() {
            flying += 1
            retrying.insert(line[0].user)
            let line = isProbing ? Array(line.prefix(1)) : line
            group.addTask { [events = means.events] in
                .retried(await RetriedLine(line, by: sender, of: events))
            }
        }
    }

    private func read(_ group: inout TaskGroup<Step>) {
        let policy = means.policy
        guard !isReading, !isWaiting, window.span < 4 * policy.page, parkedCount < policy.mostParked else {
            return
        }
        isReading = true
        group.addTask { [events = means.events, from = window.readUpTo] in
            guard let page = try? await events.read(after: from, limit: policy.page) else {
                try? await Task.sleep(for: .seconds(1))
                return .unreadable
            }
            return .page(page)
        }
    }

    private func waitForNews(_ group: inout TaskGroup<Step>) {
        isWaiting = true
        group.addTask { [feed = means.feed, from = window.readUpTo] in
            // During shutdown `feed.wait` returns at once.
            try? await Task.sleep(for: .milliseconds(10))
            await feed.wait(after: from)
            return .news
        }
    }

    private func receive(_ page: EventPage) {
        for event in page.events {
            if ahead.remove(event.id) != nil || !held.types.contains(event.kind.rawValue) {
                window.pass(event.id)
            } else if parkedUsers.contains(event.userID) {
                window.pass(event.id)
                parkedCount += 1
                park(ParkedEvent(id: event.id, user: event.userID))
            } else {
                window.add(event)
            }
        }
        // After the last one there were events that nobody is told.
        if page.last > window.readUpTo { window.pass(page.last) }
    }

    func park(_ event: ParkedEvent) {
        progress.parked[event.id] = event
        parkedUsers.insert(event.user)
        isChanged = true
    }

    func note() { isChanged = true }
}

extension WebhookRun {
    /// Looks for events to send again.
    private func findDue() async {
        guard due.isEmpty, retrying.count < means.policy.atOnce,
            let lines = try? await means.store.due(
                held.id, at: means.now(), limit: means.policy.atOnce,
                except: retrying.union(progress.users))
        else { return }
        for line in lines {
            guard let user = line.first?.user, !retrying.contains(user), !progress.users.contains(user),
                !window.holds(user), progress.parked[line[0].id] == nil
            else { continue }
            parkedUsers.insert(user)
            due.append(line)
        }
    }

    /// The limit for a user's waiting events. There is none while the endpoint fails, since then nothing says
    /// that it does not want those of one user.
    private var crowd: DeliveryStore.Crowd? {
        guard progress.failingSince == nil else { return nil }
        return DeliveryStore.Crowd(
            most: means.policy.mostOfUser, tries: means.policy.triesInCrowd,
            except: retrying.union(due.map { $0[0].user }))
    }

    private func see(_ waiting: WaitingEvents) {
        parkedUsers = Set(waiting.counts.keys)
        parkedCount = waiting.counts.values.reduce(0, +)
        if waiting.crowdedOut > 0 {
            means.metrics.count(.dead, waiting.crowdedOut)
            means.report(.crowdedOut(waiting.crowdedOut))
        }
        let isStalled = parkedCount >= means.policy.mostParked
        if isStalled, !self.isStalled { means.report(.stalled(parkedCount)) }
        self.isStalled = isStalled
    }

    /// Writes all changes, and tries once more if they could not be written before.
    private func save() async {
        progress.position = window.position
        do {
            let waiting = try await means.store.save(
                progress, of: held, for: means.policy.lease, crowd: crowd)
            held.wasWritten()
            if let waiting { see(waiting) }
            if progress.pausedAt != nil { (isOver, isLost) = (true, true) }
            savedPosition = progress.position
            (savedAt, isChanged) = (.now, false)
            (progress.parked, progress.settled, progress.users) = ([:], [], [])
            (progress.lastError, progress.missedUntil) = (nil, nil)
        } catch WebhookError.leaseLost {
            (isOver, isLost) = (true, true)
        } catch {
            means.report(.unsaved("\(error)"))
        }
    }
}
