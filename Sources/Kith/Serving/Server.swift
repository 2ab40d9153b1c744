import Counts
import Events
import Graph
import Growth
import HTTPServer
import Hummingbird
import Kernel
import Links
package import Logging
import NIOCore
import Pictures
import Postgres
import Rollout
import ServiceLifecycle
import UnixSignals
import Visits
import Web
import Webhooks

/// Serves the product on one address and the operators' routes on another.
package struct Server: Sendable {
    let app: App
    let logger: Logger

    package init(_ app: App, logger: Logger) {
        self.app = app
        self.logger = logger
    }

    /// Serves until SIGTERM or Ctrl-C. Then readiness fails, `KITH_DRAIN_SECONDS` later no more connections
    /// are accepted, running requests finish, and it returns.
    /// - Parameter onServing: called once the product's address accepts requests.
    package func run(onServing: @escaping @Sendable () async -> Void = {}) async throws {
        let server = app.config.server
        app.logSunset(logger)
        let readiness = Readiness(logger: logger)
        let descriptors = FileDescriptors.raiseLimit()
        let connections = OpenConnections(limit: maxConnections(descriptors), makeRoom: app.events.makeRoom)
        app.events.allow(connections: connections.limit)
        let opsConnections = OpenConnections(limit: Self.opsConnections(descriptors))
        let hosts = HostResponder(app)
        let following = AppliedAppsService(app, hosts, logger: logger)
        await following.follow()
        await noteSurroundings(hosts)
        let ops = app.opsRoutes(hosts, connections, readiness)
        var services: [any Service] = [
            // The first service stops last, when the last call is counted.
            VersionCountService(
                queue: app.versionCounts, store: VersionCountStore(db: app.db, numbers: app.config.counts),
                active: app.active,
                named: { [policies = app.policies] in policies.latest?.rules.releases ?? [] },
                logger: logger),
            Listener(
                responder: ops.router().buildResponder(), address: server.opsListen,
                setting: "KITH_OPS_LISTEN", connections: opsConnections, logger: logger),
            Listener(
                responder: hosts, address: server.listen, setting: "KITH_LISTEN", connections: connections,
                accessLog: app.accessLog, proxies: server.trustedProxies, logger: logger, onServing: onServing
            ),
            MemoryReturn(connections: connections),
            following,
            TurnedAwayLog(connections: connections, logger: logger),
            EventService(
                store: EventStore(db: app.db), feed: app.events, policy: app.config.events, logger: logger),
        ]
        services += features(descriptors).map(Later.init)
        services.append(Draining(readiness: readiness, delay: server.drain))
        if let limiter = app.rateLimiter {
            let store = RateLimitStore(db: app.db)
            services.insert(RateLimitService(limiter: limiter, store: store, logger: logger), at: 0)
        }
        var configuration = ServiceGroupConfiguration(
            services: services.map(Self.named), gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        configuration.maximumGracefulShutdownDuration = server.drain + server.shutdown
        app.db.watchStandbys()
        try await ServiceGroup(configuration: configuration).run()
    }

    /// Tells an operator what they left out, and facts about the database.
    private func noteSurroundings(_ hosts: HostResponder) async {
        app.logGaps(logger, beside: hosts.standardApp)
        await SealedSecrets(app.db, app.config).tell(logger)
        await ConnectionLimitStore(db: app.db, config: app.config.database).tell(logger)
        await noteDatabase()
    }

    /// Gives a service a name in logs, which would otherwise print it with everything that it holds.
    private static func named(_ service: any Service) -> ServiceGroupConfiguration.ServiceConfiguration {
        let kind: any Service = (service as? Later)?.service ?? service
        return .init(service: service, serviceName: "\(type(of: kind))")
    }

    /// Returns the services that features run in the background.
    private func features(_ descriptors: Int) -> [any Service] {
        var webhooks = app.config.webhooks
        webhooks.atOnce = Self.deliveries(descriptors, of: webhooks)
        let erasures = app.config.server.erasureLog.map {
            ErasureLogService(
                log: ErasureLog(AppendOnlyFile(path: $0), ErasureStore(db: app.db)), feed: app.events,
                logger: logger)
        }
        return (erasures.map { [$0] } ?? []) + [
            ExpiryService(
                db: app.db, clicks: ClickStore(db: app.db, policy: app.config.counts),
                counts: app.countStore, salts: app.salts, now: app.world.now, logger: logger),
            CountService(app.counting, metrics: app.countMetrics, logger: logger),
            WebhookService(
                db: app.db, feed: app.events, policy: webhooks, key: app.config.secretsKey,
                days: app.config.events.days, metrics: app.webhookMetrics, world: app.world, logger: logger),
            OfferService(
                store: OfferStore(db: app.db), metrics: app.offerMetrics, now: app.world.now, logger: logger),
            RewardService(
                work: RewardRun(RewardStore(db: app.db), now: app.world.now), metrics: app.rewardMetrics,
                logger: logger),
            FontCheck(cards: app.cards, logger: logger),
        ]
    }

    private func noteDatabase() async {
        do {
            try await RestoreStore(db: app.db).note()
        } catch {
            logger.warning(
                "the number of the database is not noted: `kith restored --nothing-lost` will not know it",
                metadata: ["error": "\(error.reason)"])
        }
    }

    /// Returns the limit of connections to the operators' address. It has its own, so that it answers even if
    /// the other address is full.
    static func opsConnections(_ descriptors: Int) -> Int { min(32, max(4, descriptors / 16)) }

    /// Returns how many deliveries to one webhook may be under way at once. Each takes a connection.
    static func deliveries(_ descriptors: Int, of policy: WebhookPolicy) -> Int {
        min(policy.atOnce, max(2, descriptors / 16 / policy.mostWebhooks))
    }

    /// Returns how many client connections the descriptors allow, after all other uses.
    // One must always be free: see `AcceptPause`.
    static func clientConnections(
        _ descriptors: Int, writers: Int, standbys: Int = 0, webhooks: WebhookPolicy = WebhookPolicy()
    ) -> Int {
        // A connection to a database takes two descriptors. The other lanes have 19 connections, those of a
        // standby 13.
        let database = 2 * (writers + 19 + 13 * standbys)
        let sending = webhooks.mostWebhooks * deliveries(descriptors, of: webhooks)
        let eventLoops = 3 * System.coreCount
        let rest = 2 * opsConnections(descriptors) + database + sending + eventLoops + 24
        return max(8, (descriptors - rest) * 15 / 16)
    }

    /// Returns the limit of client connections. Refused clients, operators, the database and files need
    /// descriptors too.
    private func maxConnections(_ descriptors: Int) -> Int {
        let room = Self.clientConnections(
            descriptors, writers: app.config.database.writers, standbys: app.db.standbyCount,
            webhooks: app.config.webhooks)
        if room == 8 {
            logger.warning(
                "the limit of open files is too low to serve: raise it (ulimit -n)",
                metadata: ["open files": "\(descriptors)"])
        }
        guard let wanted = app.config.server.maxConnections else { return min(10_000, room) }
        if wanted > room {
            logger.warning(
                "KITH_MAX_CONNECTIONS is more than the limit of open files allows",
                metadata: ["connections": "\(room)", "open files": "\(descriptors)"])
        }
        return min(wanted, room)
    }
}

/// Lets the first answers go before the work of a feature. If all features began at once, they would take
/// both cores of a small machine.
private struct Later: Service {
    let service: any Service

    func run() async throws {
        try? await cancelWhenGracefulShutdown { try await Task.sleep(for: .milliseconds(250)) }
        // If another service failed, for instance because an address is taken, the group ends, so begin
        // nothing.
        try Task.checkCancellation()
        try await service.run()
    }
}

/// Tells an operator that cards leave out characters.
private struct FontCheck: Service {
    let cards: CardRenderer
    let logger: Logger

    func run() async throws {
        let packages = Task.isShuttingDownGracefully ? [] : await cards.missingFonts()
        if !packages.isEmpty {
            logger.warning(
                "fonts are missing, so cards leave out characters: install \(packages.joined(separator: ", "))"
            )
        }
        try await gracefulShutdown()
    }
}

/// Makes readiness fail first, and gives load balancers time to see it. Services are stopped one after the
/// other, in reverse order.
private struct Draining: Service {
    let readiness: Readiness
    let delay: Duration

    func run() async throws {
        try await gracefulShutdown()
        readiness.drain()
        try await Task.sleep(for: delay)
    }
}
