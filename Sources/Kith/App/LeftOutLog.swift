import Logging
import Synchronization

/// Logs that experiments leave visits of pages out, a line every ten minutes.
final class LeftOutLog: Sendable {
    private let logger: Logger
    private let pause = Mutex(LogPause(.seconds(600)))

    init(_ logger: Logger) {
        self.logger = logger
    }

    @Sendable func note() {
        guard let count = pause.withLock({ $0.take(at: .now) }) else { return }
        logger.warning(
            "experiments leave visits out: their address is unknown, or above the limit `visitors`, or an app named an account without its token; if a proxy is in front, name it in KITH_TRUSTED_PROXIES",
            metadata: ["visits": "\(count)"])
    }
}
