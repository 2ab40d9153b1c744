import Logging
import Synchronization

/// A line of the log for what may happen many times a second: of each subject one in some time, with how often it happened.
final class PausedLog: Sendable {
    /// Subjects may be many, as hosts are that a wildcard allows; more of them within a pause say nothing.
    private static let mostSubjects = 1000

    private let message: Logger.Message
    private let level: Logger.Level
    private let counted: String
    private let time: Duration
    private let pauses = Mutex<[String: LogPause]>([:])

    /// - Parameter counted: what the line calls the number.
    init(
        _ message: Logger.Message, _ level: Logger.Level = .warning, counting counted: String = "times",
        every time: Duration = .seconds(10)
    ) {
        (self.message, self.level, self.counted, self.time) = (message, level, counted, time)
    }

    func note(
        _ metadata: @autoclosure () -> Logger.Metadata = [:], of subject: String = "", to logger: Logger,
        at now: ContinuousClock.Instant = .now
    ) {
        let count = pauses.withLock { pauses -> Int? in
            if pauses.count >= Self.mostSubjects, pauses[subject] == nil {
                pauses = pauses.filter { $0.value.isUnder(at: now) }
                guard pauses.count < Self.mostSubjects else { return nil }
            }
            return pauses[subject, default: LogPause(time)].take(at: now)
        }
        guard let count else { return }
        logger.log(level: level, message, metadata: metadata().merging([counted: "\(count)"]) { $1 })
    }
}
