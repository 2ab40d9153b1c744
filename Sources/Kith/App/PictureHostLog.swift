import Foundation
import Logging
import Synchronization

/// Logs that a host of users' pictures fails, once in ten minutes.
final class PictureHostLog: Sendable {
    /// Hosts may be many, if `KITH_AVATAR_HOSTS` has a wildcard.
    private static let mostHosts = 100
    private static let pause: TimeInterval = 600

    private let logger: Logger
    private let now: @Sendable () -> Date
    private let told = Mutex<[String: Date]>([:])

    init(_ logger: Logger, now: @escaping @Sendable () -> Date) {
        (self.logger, self.now) = (logger, now)
    }

    @Sendable func note(_ host: String, _ reason: String) {
        let now = now()
        let isNew = told.withLock { told in
            told = told.filter { now.timeIntervalSince($0.value) < Self.pause }
            guard told[host] == nil, told.count < Self.mostHosts else { return false }
            told[host] = now
            return true
        }
        guard isNew else { return }
        logger.warning(
            "cannot get a user's picture: their card has the initial",
            metadata: ["host": "\(host)", "reason": "\(reason)"])
    }
}
