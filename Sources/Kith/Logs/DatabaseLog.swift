package import Logging
package import Postgres
import Synchronization
import Web

/// Logs the driver's events in few lines: while the database is away, each of many connections tries several
/// times a second.
package final class DatabaseLog: Sendable {
    typealias Instant = ContinuousClock.Instant

    private struct State {
        /// How many connections are open.
        var open = 0
        /// When attempts began to fail while no connection is open, and whether a line said so.
        var downSince: Instant?
        var isToldDown = false
        var lost = LogPause()
        var unreached = LogPause()
        var wanting = LogPause()
    }

    private let logger: Logger
    private let now: @Sendable () -> Instant
    private let state = Mutex(State())

    package convenience init(_ logger: Logger) {
        self.init(logger, now: { .now })
    }

    init(_ logger: Logger, now: @escaping @Sendable () -> Instant) {
        self.logger = logger
        self.now = now
    }

    package func note(_ event: Database.Event) {
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
        case .standby(let name, nil):
            logger.notice("standby in use", metadata: ["standby": "\(name)"])
        case .standby(let name, .some(let trouble)):
            logger.warning(
                "standby not in use: the primary answers",
                metadata: ["standby": "\(name)", "reason": "\(trouble)"])
        case .connectFailed(let lane, let reason):
            guard let (line, metadata) = goOn() else { return }
            logger.warning(
                line, metadata: metadata.merging(["lane": "\(lane)", "reason": "\(reason)"]) { $1 })
        }
    }

    /// Counts a lost connection. Returns how many were lost since the last line. Nil if it is too soon for
    /// another.
    private func lose(isOfNote: Bool) -> Int? {
        let now = now()
        return state.withLock { state in
            state.open -= 1
            return isOfNote ? state.lost.take(at: now) : nil
        }
    }

    /// Returns what to log about a failed attempt, in an outage or while other connections are open. Nil if
    /// it is too soon for another line.
    private func goOn() -> (line: Logger.Message, metadata: Logger.Metadata)? {
        let now = now()
        return state.withLock { state in
            if state.open > 0 {
                return state.wanting.take(at: now).map { tries in
                    (
                        "cannot open another database connection",
                        ["tries": "\(tries)", "open": "\(state.open)"]
                    )
                }
            }
            let since = state.downSince ?? now
            state.downSince = since
            guard let tries = state.unreached.take(at: now) else { return nil }
            state.isToldDown = true
            return (
                "cannot reach the database", ["tries": "\(tries)", "away": "\(Self.seconds(since, now))"]
            )
        }
    }

    /// Notes a connection. Returns how long the database was away. Nil if no line said that it was.
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
