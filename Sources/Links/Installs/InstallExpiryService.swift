package import Logging
import Postgres
package import Rollout
import ServiceLifecycle
import Web

/// Once an hour deletes what has expired, and the salts of the days before yesterday. It also creates the
/// parts for the clicks of the next days, and merges old days into months. Several servers may do so at once.
package struct InstallExpiryService: Service {
    package let installs: InstallStore
    package let linkClaims: LinkClaimStore
    package let salts: VisitorSaltStore
    package let clicks: ClickStore
    package let experiments: ExperimentStore
    /// Deletes links that have lapsed. The code is in a folder that depends on this one.
    package let forgetLinks: @Sendable () async throws -> Void
    package let logger: Logger

    package init(
        installs: InstallStore, linkClaims: LinkClaimStore, salts: VisitorSaltStore, clicks: ClickStore,
        experiments: ExperimentStore, forgetLinks: @escaping @Sendable () async throws -> Void, logger: Logger
    ) {
        self.installs = installs
        self.linkClaims = linkClaims
        self.salts = salts
        self.clicks = clicks
        self.experiments = experiments
        self.forgetLinks = forgetLinks
        self.logger = logger
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            await Periodic("what has expired is kept", every: .seconds(3600), logger: logger).run {
                await forget()
            }
        }
    }

    /// Deletes what has expired. A task that fails does not keep the others from running.
    func forget() async {
        await expire("salts of visitors") { try await salts.forgetOld() }
        await expire("clicks") {
            try await clicks.keepDays()
            try await clicks.keepMonths()
        }
        await expire("installs") { try await installs.forgetExpired() }
        await expire("exposures") { try await experiments.forgetOld() }
        await expire("claims of links") { try await linkClaims.forgetExpired() }
        await expire("links of apps", forgetLinks)
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
