import Hummingbird
import Kernel
import Logging
import Web

/// What ends with the service's last day (`KITH_SUNSET`).
extension App {
    /// Returns a handler that works only until the service has closed.
    /// - Parameter afterwards: the handler after that. Nil if everything is refused.
    func whileOpen<Context>(
        _ handler: @escaping Route.Function<Context>, afterwards: Route.Function<Context>? = nil
    ) -> Route.Function<Context> {
        guard let sunset = config.app.sunset else { return handler }
        let now = world.now
        return { request, context in
            guard sunset.isOver(at: now()) else { return try await handler(request, context) }
            guard let afterwards else { throw Problem.serviceClosed }
            return try await afterwards(request, context)
        }
    }

    func logSunset(_ logger: Logger) {
        guard let sunset = config.app.sunset else { return }
        logger.notice(
            sunset.isOver(at: world.now())
                ? "this service has closed: links say good-bye, and users can still export and delete their data"
                : "this service closes at the end of its last day (UTC), and its pages say so",
            metadata: ["lastDay": "\(sunset.text)", "url": "\(config.app.sunsetURL ?? "–")"])
    }
}
