package import Logging
import Synchronization

/// A log line for events that may happen many times a second. Each subject gets one line per time span, with
/// how often the event happened.
package final class PausedLog: Sendable {
    /// The most subjects at once: there may be many, such as the hosts that a wildcard allows. Further
    /// subjects within a pause are not logged.
    private static let mostSubjects = 1000

    private let message: Logger.Message
    private let level: Logger.Level
    private let counted: String
    private let time: Duration
    private let pauses = Mutex<[String: LogPause]>([:])

    /// - Parameter counted: what the line calls the number.
    package init(
        _ message: Logger.Message, _ level: Logger.Level = .warning, counting counted: String = "times",
        every time: Duration = .seconds(10)
    ) {
        (self.message, self.level, self.counted, self.time) = (message, level, counted, time)
    }

    package func note(
        _ metadata: @autoclosure () -> Logger.Metadata = [:], of subject: String = "", to logger: Logger,
        at now: ContinuousClock.Instant = .now
    ) {
        let (count, end) = pauses.withLock { pauses -> (Int?, ContinuousClock.Instant?) in
            if pauses.count >= Self.mostSubjects, pauses[subject] == nil {
                pauses = pauses.filter { $0.value.isUnder(at: now) }
                guard pauses.count < Self.mostSubjects else { return (nil, nil) }
            }
            var pause = pauses[subject] ?? LogPause(time)
            defer { pauses[subject] = pause }
            let count = pause.take(at: now)
            return (count, count == nil && pause.isFirstUntold ? pause.end : nil)
        }
        if let count { return say(metadata(), count, to: logger) }
        guard let end else { return }
        // Without this task the number would wait for the next event, perhaps for days.
        let metadata = metadata()
        Task {
            try await Task.sleep(until: end, clock: .continuous)
            tellRest(metadata, of: subject, to: logger, at: .now)
        }
    }

    /// Logs what was counted for a subject since its last line.
    func tellRest(
        _ metadata: Logger.Metadata, of subject: String, to logger: Logger, at now: ContinuousClock.Instant
    ) {
        guard let count = pauses.withLock({ $0[subject]?.rest(at: now) ?? nil }) else { return }
        say(metadata, count, to: logger)
    }

    private func say(_ metadata: Logger.Metadata, _ count: Int, to logger: Logger) {
        logger.log(level: level, message, metadata: metadata.merging([counted: "\(count)"]) { $1 })
    }
}
