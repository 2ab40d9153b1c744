import Logging
import Postgres
import ServiceLifecycle

/// Keeps `KITH_ERASURE_LOG` within seconds of the database.
struct ErasureLogService: Service {
    let log: ErasureLog
    let feed: EventFeed
    let logger: Logger

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            var (log, pause, seconds) = (log, LogPause(.seconds(60)), 0)
            while true {
                do {
                    if let last = feed.last { try await log.follow(to: last) }
                    if seconds % 10 == 0 { try await log.noteKeys() }
                } catch  where !Task.isCancelled {
                    note(error, &pause)
                }
                seconds += 1
                try await Task.sleep(for: .seconds(1))
            }
        }
    }

    private func note(_ error: any Error, _ pause: inout LogPause) {
        guard pause.take(at: .now) != nil else { return }
        let reason = (error as? PostgresError)?.explanation ?? "\(error)"
        logger.error(
            "deletions wait for KITH_ERASURE_LOG",
            metadata: ["file": "\(log.file.path)", "error": "\(reason)"])
    }
}
