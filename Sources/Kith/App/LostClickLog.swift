import Logging
import Postgres
import Synchronization

/// Logs why the database did not take the record of visits, a line every ten seconds.
final class LostClickLog: Sendable {
    private let logger: Logger
    private let pause = Mutex(LogPause())

    init(_ logger: Logger) {
        self.logger = logger
    }

    @Sendable func note(_ error: any Error) {
        guard let count = pause.withLock({ $0.take(at: .now) }) else { return }
        let reason = (error as? PostgresError)?.explanation ?? "\(error)"
        logger.warning(
            "visits are not counted, their visitors go on",
            metadata: ["visits": "\(count)", "error": "\(reason)"])
    }
}
