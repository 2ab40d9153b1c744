import Logging
import ServiceLifecycle

/// Deletes once an hour what has expired, and the salts of the days before yesterday. Several servers may do so at once.
struct InstallExpiryService: Service {
    let installs: InstallStore
    let linkClaims: LinkClaimStore
    let salts: VisitorSaltStore
    let clicks: ClickStore
    let logger: Logger

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while true {
                do {
                    try await forget()
                } catch {
                    logger.warning("expired installs are kept", metadata: ["error": "\(error)"])
                }
                try await Task.sleep(for: .seconds(3600))
            }
        }
    }

    func forget() async throws {
        try await salts.forgetOld()
        try await clicks.keepDays()
        try await installs.forgetExpired()
        try await linkClaims.forgetExpired()
    }
}
