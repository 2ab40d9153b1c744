import Counts
import Logging
import Postgres
import Web

/// What the log says about failures that stop nothing.
extension App {
    static func lostClicks(_ logger: Logger) -> @Sendable (any Error) -> Void {
        let log = PausedLog("visits are not counted, their visitors go on", counting: "visits")
        return { error in
            log.note(["error": "\(error.reason)"], to: logger)
        }
    }

    /// Returns a report of sums that could not be read. It names no user and no code.
    static func unreadableSums(
        _ logger: Logger, _ metrics: CountMetrics
    ) -> @Sendable ([Tally.Key]) -> Void {
        { sums in
            metrics.couldNotRead(sums.count)
            for sum in sums.prefix(20) {
                let isNamed = sum.subject.hasPrefix("domain ") || sum.subject.hasPrefix("version ")
                let subject = isNamed ? sum.subject : sum.subject.isEmpty ? "everything" : "a link or invites"
                logger.error(
                    "a sum cannot be read: its count stays, and how it divides begins anew",
                    metadata: [
                        "subject": "\(subject)", "measure": "\(sum.measure)", "day": "\(sum.day)",
                        "sums": "\(sums.count)",
                    ])
            }
        }
    }

    static func leftOutVisits(_ logger: Logger) -> @Sendable () -> Void {
        let log = PausedLog(
            "experiments leave visits out: their address is unknown, or above the limit `visitors`, or an app named an account without its token; if a proxy is in front, name it in KITH_TRUSTED_PROXIES",
            counting: "visits", every: .seconds(600))
        return { log.note(to: logger) }
    }

    /// Returns a report of failing hosts of users' pictures.
    static func failingHosts(_ logger: Logger) -> @Sendable (String, String) -> Void {
        let log = PausedLog(
            "cannot get a user's picture: their card has the initial", counting: "pictures",
            every: .seconds(600))
        return { host, reason in log.note(["host": "\(host)", "reason": "\(reason)"], of: host, to: logger) }
    }
}
