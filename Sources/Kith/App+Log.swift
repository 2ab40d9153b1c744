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
