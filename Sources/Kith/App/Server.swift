import Hummingbird
public import Logging
import NIOCore
import Postgres
import ServiceLifecycle
import UnixSignals

/// The process that serves: the product on one address, the operators' routes on another.
public struct Server: Sendable {
    let app: App
    let logger: Logger

    public init(_ app: App, logger: Logger) {
        self.app = app
        self.logger = logger
    }

    /// Serves until SIGTERM or Ctrl-C; then readiness goes off, what is under way finishes, and it returns.
    /// - Parameter onServing: called once the product's address takes requests.
    public func run(onServing: @escaping @Sendable () async -> Void = {}) async throws {
        let readiness = Readiness()
        let ops = OpsRoutes(db: app.db, metrics: app.metrics, readiness: readiness)
        var services: [any Service] = [
            application(ops.router(), app.config.server.opsListen),
            application(app.router(), app.config.server.listen, onServing: onServing),
            Draining(readiness: readiness),
        ]
        if let limiter = app.rateLimiter {
            let store = RateLimitStore(db: app.db)
            services.insert(RateLimitService(limiter: limiter, store: store, logger: logger), at: 0)
        }
        var configuration = ServiceGroupConfiguration(
            services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        configuration.maximumGracefulShutdownDuration = app.config.server.shutdown
        try await ServiceGroup(configuration: configuration).run()
    }

    private func application(
        _ router: Router<some RequestContext & InitializableFromSource<ApplicationRequestContextSource>>,
        _ listen: HostPort, onServing: @escaping @Sendable () async -> Void = {}
    ) -> some ApplicationProtocol {
        Application(
            router: router,
            server: .http1(
                configuration: .init(
                    idleTimeout: .seconds(60), httpDecoderConfiguration: .init(maxHeaderFieldSize: 16 * 1024))
            ),
            configuration: .init(address: .hostname(listen.host, port: listen.port), backlog: 4096),
            onServerRunning: { _ in await onServing() }, logger: logger)
    }
}

/// Turns readiness off first of all: services are stopped in the reverse of their order.
private struct Draining: Service {
    let readiness: Readiness

    func run() async throws {
        try await gracefulShutdown()
        readiness.drain()
    }
}
