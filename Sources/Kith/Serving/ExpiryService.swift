import Counts
import Foundation
import Kernel
import Links
import Logging
import Numbers
import Postgres
import Rollout
import ServiceLifecycle
import Visits
import Web

/// Once an hour deletes what has expired, and the salts of the days before yesterday. It also merges
/// the numbers of old days into months. Several servers may do so at once.
struct ExpiryService: Service {
    let db: Database
    let clicks: ClickStore
    let counts: CountStore
    let salts: SaltStore
    let now: @Sendable () -> Date
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await Periodic("what has expired is kept", every: .seconds(3600), logger: logger).run {
                await forget()
            }
        }
    }

    /// Deletes what has expired. A task that fails does not keep the others from running.
    func forget() async {
        await expire("salts of visitors") { try await salts.forgetOld() }
        await expire("numbers of days") {
            try await counts.keepMonths(clicks.policy, levels: Measure.levels)
        }
        await expire("installs") { try await InstallStore(db: db).forgetExpired() }
        await expire("exposures") { try await ExperimentStore(db: db).forgetOld() }
        await expire("claims of links") { try await LinkClaimStore(db: db).forgetExpired() }
        await expire("sessions") { try await SessionStore(db: db).forgetOld(at: now()) }
        await expire("links of apps") { try await ShortLinkStore(db: db).forgetLapsed(countedIn: clicks) }
    }

    private func expire(_ what: String, _ work: () async throws -> Void) async {
        do {
            try await work()
        } catch  where !Task.isCancelled {
            logger.warning(
                "what has expired is kept", metadata: ["what": "\(what)", "error": "\(error.reason)"])
        } catch {
            // The server stops, and another goes on.
        }
    }
}
