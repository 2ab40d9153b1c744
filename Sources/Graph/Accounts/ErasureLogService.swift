package import Events
import Kernel
package import Logging
import Postgres
import ServiceLifecycle
import Web

/// Keeps `KITH_ERASURE_LOG` within seconds of the database.
package struct ErasureLogService: Service {
    package let log: ErasureLog
    package let feed: EventFeed
    package let logger: Logger

    package init(log: ErasureLog, feed: EventFeed, logger: Logger) {
        self.log = log
        self.feed = feed
        self.logger = logger
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            var (log, seconds) = (log, 0)
            let trouble = Logger.Message("deletions wait for KITH_ERASURE_LOG, \(log.file.path)")
            await Periodic(trouble, .error, every: .seconds(1), logger: logger).run {
                seconds += 1
                if let last = feed.last { try await log.follow(to: last) }
                if seconds % 10 == 1 { try await log.noteKeys() }
            }
        }
    }
}
