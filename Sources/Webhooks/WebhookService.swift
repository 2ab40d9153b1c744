package import Events
import Foundation
package import Kernel
package import Logging
package import Postgres
import ServiceLifecycle
import Synchronization
package import Web

/// Delivers events to webhooks. It takes endpoints that no server holds, and serves each until it must let
/// go.
package struct WebhookService: Service {
    package let db: Database
    package let feed: EventFeed
    package let policy: WebhookPolicy
    package let key: SecretsKey?
    /// How many days events are kept.
    package let days: Int
    package let metrics: WebhookMetrics
    package let world: World
    package let logger: Logger

    package init(
        db: Database, feed: EventFeed, policy: WebhookPolicy, key: SecretsKey?, days: Int,
        metrics: WebhookMetrics, world: World, logger: Logger
    ) {
        self.db = db
        self.feed = feed
        self.policy = policy
        self.key = key
        self.days = days
        self.metrics = metrics
        self.world = world
        self.logger = logger
    }

    private var store: DeliveryStore { DeliveryStore(db: db) }
    private var events: EventStore { EventStore(db: db) }
    /// How long an endpoint that cannot be served is left alone.
    private static let rest = Duration.seconds(60)

    package func run() async throws {
        await withDiscardingTaskGroup { group in
            group.addTask { await watch() }
            guard key != nil else { return await sayThatNobodyDelivers() }
            let resting = RestingWebhooks()
            while !isEnding {
                let held = await take(except: resting.ids)
                if let held { group.addTask { await serve(held, resting) } }
                // Endpoints are taken one after another, so that servers that begin together share them.
                await pause(held == nil ? 1000 : 200)
            }
        }
    }

    /// Logs once that nobody delivers: the operator may have forgotten the setting on this server alone.
    private func sayThatNobodyDelivers() async {
        while !isEnding {
            if (try? await store.hasFree()) == true {
                logger.error("this server delivers to no webhook: set KITH_SECRETS_KEY as on the others")
                return
            }
            await pause(10_000)
        }
    }

    private var isEnding: Bool { Task.isCancelled || Task.isShuttingDownGracefully }

    private func pause(_ milliseconds: Int) async {
        for _ in 0..<milliseconds / 100 where !isEnding { try? await Task.sleep(for: .milliseconds(100)) }
    }

    private func take(except ids: [UUID]) async -> HeldWebhook? {
        // If this fails, the events service reports that the database is away.
        try? await store.take(
            .random(), for: policy.lease, knowing: Event.Kind.allCases.map(\.rawValue), except: ids)
    }

    /// Serves an endpoint. Returns when this server no longer holds it.
    private func serve(_ held: HeldWebhook, _ resting: RestingWebhooks) async {
        guard
            let sender = WebhookSender(
                held.id, url: held.url, held.secrets, key: key, policy: policy, world: world)
        else {
            logger.error(
                "a webhook has a secret that KITH_SECRETS_KEY does not open",
                metadata: ["webhook": "\(held.name)"])
            resting.add(held.id, for: Self.rest)
            try? await store.release(held, error: (WebhookSender.unreadable, world.now()))
            return
        }
        let run = WebhookRun(held, sender: sender, means: means(of: held))
        do {
            run.progress.missedUntil = try await missedUntil(held)
            try await run.run()
        } catch {
            resting.add(held.id, for: .seconds(1))
        }
        await sender.close()
        if !Task.isCancelled { try? await store.release(run.held) }
    }

    /// When the kept events begin. They are kept for some days, as whole days in UTC.
    private var keptSince: Date {
        let midnight = (world.now().timeIntervalSince1970 / 86_400).rounded(.down) * 86_400
        return Date(timeIntervalSince1970: midnight - Double(days) * 86_400)
    }

    /// Returns up to when events are gone that the endpoint does not have. Nil if there are none.
    private func missedUntil(_ held: HeldWebhook) async throws -> Date? {
        let kept = keptSince
        guard held.position < kept.microsecondsSince1970, try await events.last() > held.position else {
            return nil
        }
        logger.error(
            "a webhook missed events, which were too old",
            metadata: ["webhook": "\(held.name)", "before": "\(JSON.timestamp(kept))"])
        return kept
    }

    private func means(of held: HeldWebhook) -> WebhookRun.Dependencies {
        WebhookRun.Dependencies(
            store: store, events: events, feed: feed, policy: policy, now: world.now, metrics: metrics,
            report: { say($0, held) }, stopping: { try? await gracefulShutdown() })
    }

    private func say(_ news: WebhookRun.News, _ held: HeldWebhook) {
        var metadata: Logger.Metadata = ["webhook": "\(held.name)"]
        switch news {
        case .failing(let reason):
            metadata["reason"] = "\(reason)"
            logger.warning("a webhook fails: its events wait", metadata: metadata)
        case .paused(let reason):
            metadata["reason"] = "\(reason)"
            logger.error("a webhook is paused: `kith webhooks resume` ends that", metadata: metadata)
        case .stalled(let count):
            metadata["waiting"] = "\(count)"
            logger.error("a webhook gets no new events, because too many wait one by one", metadata: metadata)
        case .crowdedOut(let count):
            metadata["events"] = "\(count)"
            logger.warning(
                "events became dead letters of a webhook, because too many of one user wait",
                metadata: metadata)
        case .recovered: logger.notice("a webhook works again", metadata: metadata)
        case .unsaved(let reason):
            metadata["error"] = "\(reason)"
            logger.warning("what a webhook got is not written yet", metadata: metadata)
        }
    }
}

/// Collects the metrics.
extension WebhookService {
    private func watch() async {
        let listing = WebhookListing(
            store: WebhookStore(db: db), events: events, policy: policy, now: world.now)
        while !isEnding {
            if let seen = try? await listing.all() { metrics.see(seen) }
            try? await store.forgetDead(before: keptSince.microsecondsSince1970)
            await pause(10_000)
        }
    }
}

/// Endpoints that this server does not take for a while.
private final class RestingWebhooks: Sendable {
    private let until = Mutex<[UUID: ContinuousClock.Instant]>([:])

    var ids: [UUID] {
        until.withLock { until in
            until = until.filter { $0.value > .now }
            return Array(until.keys)
        }
    }

    func add(_ id: UUID, for time: Duration) {
        until.withLock { $0[id] = .now + time }
    }
}
