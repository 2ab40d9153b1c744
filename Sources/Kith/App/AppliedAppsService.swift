import Logging
import ServiceLifecycle

/// Follows what `kith apply` makes true.
struct AppliedAppsService: Service {
    /// How long a server may take to see it.
    static let interval = Duration.seconds(5)

    let hosts: HostResponder
    let policies: PolicyCache
    let logger: Logger

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while true {
                await follow()
                try await Task.sleep(for: Self.interval)
            }
        }
    }

    func follow() async {
        do {
            for (key, error) in try await hosts.follow() {
                logger.error(
                    "an applied app cannot be served here", metadata: ["app": "\(key)", "error": "\(error)"])
            }
        } catch {
            logger.warning("the applied apps cannot be read", metadata: ["error": "\(error)"])
        }
        do {
            try await policies.follow()
        } catch {
            logger.warning("the applied policies cannot be read", metadata: ["error": "\(error)"])
        }
    }
}
