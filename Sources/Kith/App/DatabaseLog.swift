public import Logging
public import Postgres
import Synchronization

/// What the driver tells of its connections, in few lines: each of many connections tries several times a second
/// while the database is away.
public final class DatabaseLog: Sendable {
    typealias Instant = ContinuousClock.Instant

    private struct State {
        /// How many connections there are.
        var open = 0
        /// Since when it is tried in vain while there is none, and whether a line said so.
        var downSince: Instant?
        var isToldDown = false
        var lost = Pause()
        var unreached = Pause()
        var wanting = Pause()
    }

    /// Lets one line through in ten seconds, and counts the others.
    private struct Pause {
        private var saidAt: Instant?
        private var count = 0

        /// How many there were since the last line, this one included; nil if it is too soon for another.
        mutating func take(at now: Instant) -> Int? {
            count += 1
            if let saidAt, now < saidAt + .seconds(10) { return nil }
            defer { (saidAt, count) = (now, 0) }
            return count
        }
    }

    private let logger: Logger
    private let now: @Sendable () -> Instant
    private let state = Mutex(State())

    public convenience init(_ logger: Logger) {
        self.init(logger, now: { .now })
    }

    init(_ logger: Logger, now: @escaping @Sendable () -> Instant) {
        self.logger = logger
        self.now = now
    }

    public func note(_ event: Database.Event) {
        switch event {
        case .connected(let lane):
            logger.debug("database connected", metadata: ["lane": "\(lane)"])
            if let away = endOutage() {
                logger.notice("database reached again", metadata: ["away": "\(away)"])
            }
        case .disconnected(let lane, let reason):
            guard let count = lose(isOfNote: reason != nil) else { return }
            logger.warning(
                "database connection lost",
                metadata: ["lane": "\(lane)", "reason": "\(reason ?? "")", "connections": "\(count)"])
        case .connectFailed(let lane, let reason):
            guard let (line, metadata) = goOn() else { return }
            logger.warning(
                line, metadata: metadata.merging(["lane": "\(lane)", "reason": "\(reason)"]) { $1 })
        }
    }

    /// How many were lost since the last line; nil if it is too soon for another.
    private func lose(isOfNote: Bool) -> Int? {
        let now = now()
        return state.withLock { state in
            state.open -= 1
            return isOfNote ? state.lost.take(at: now) : nil
        }
    }

    /// An outage begins or goes on, or others are open and do the work: what to say of it, unless it was said a
    /// moment ago.
    private func goOn() -> (line: Logger.Message, metadata: Logger.Metadata)? {
        let now = now()
        return state.withLock { state in
            if state.open > 0 {
                return state.wanting.take(at: now).map { tries in
                    (
                        "another database connection cannot be had",
                        ["tries": "\(tries)", "open": "\(state.open)"]
                    )
                }
            }
            let since = state.downSince ?? now
            state.downSince = since
            guard let tries = state.unreached.take(at: now) else { return nil }
            state.isToldDown = true
            return ("database not reached", ["tries": "\(tries)", "away": "\(Self.seconds(since, now))"])
        }
    }

    /// There is a connection: how long it was away; nil if no line said that it is.
    private func endOutage() -> String? {
        let now = now()
        return state.withLock { state in
            state.open += 1
            defer { (state.downSince, state.isToldDown) = (nil, false) }
            return state.isToldDown ? state.downSince.map { Self.seconds($0, now) } : nil
        }
    }

    private static func seconds(_ start: Instant, _ end: Instant) -> String {
        let parts = start.duration(to: end).components
        return "\(parts.seconds).\(parts.attoseconds / 100_000_000_000_000_000) s"
    }
}
