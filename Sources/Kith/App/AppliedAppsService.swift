import Logging
import ServiceLifecycle

/// Follows what `kith apply` makes true.
struct AppliedAppsService: Service {
    /// How long a server may take to see it.
    static let interval = Duration.seconds(5)

    let hosts: HostResponder
    let policies: AppliedCache<AppliedPolicies>
    let experiments: RemoteValueCaches
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
        await note("the applied policies cannot be read") { try await policies.follow() }
        await note("the applied values cannot be read") { try await experiments.values.follow() }
        await note("the applied experiments cannot be read") { try await experiments.experiments.follow() }
    }

    private func note(_ trouble: Logger.Message, _ work: () async throws -> Void) async {
        do {
            try await work()
        } catch {
            logger.warning(trouble, metadata: ["error": "\(error)"])
        }
    }
}
