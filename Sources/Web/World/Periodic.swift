package import Logging
import Postgres

/// Work that a server repeats in the background. If it fails, the log says so at first, and then every ten
/// minutes, with the number of failures: an outage of an hour must not fill the log.
package struct Periodic: Sendable {
    private static let silence = Duration.seconds(600)

    private let trouble: Logger.Message
    private let level: Logger.Level
    private let interval: Duration
    private let retry: Duration
    private let logger: Logger

    /// - Parameters:
    ///   - trouble: what an operator reads if the work fails.
    ///   - interval: the time between two passes.
    ///   - retry: the time after a pass that failed. Nil if it is `interval`.
    package init(
        _ trouble: Logger.Message, _ level: Logger.Level = .warning, every interval: Duration,
        afterFailure retry: Duration? = nil, logger: Logger
    ) {
        (self.trouble, self.level, self.logger) = (trouble, level, logger)
        (self.interval, self.retry) = (interval, retry ?? interval)
    }

    /// Repeats the work until the task is cancelled.
    package func run(_ work: () async throws -> Void) async {
        var failures = LogPause(Self.silence)
        while !Task.isCancelled {
            do {
                try await work()
                failures = LogPause(Self.silence)
                try? await Task.sleep(for: interval)
            } catch {
                if !Task.isCancelled, let times = failures.take(at: .now) {
                    logger.log(
                        level: level, trouble, metadata: ["error": "\(error.reason)", "times": "\(times)"])
                }
                try? await Task.sleep(for: retry)
            }
        }
    }
}

extension Error {
    /// The reason for an operator. For an error of the database it is the sentence without the statement.
    package var reason: String { (self as? PostgresError)?.explanation ?? "\(self)" }
}
