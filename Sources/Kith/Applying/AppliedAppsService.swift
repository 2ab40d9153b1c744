import Kernel
import Logging
import Rollout
import ServiceLifecycle
import Web

/// Follows what `kith apply` sets up.
package struct AppliedAppsService: Service {
    /// How long a server may take to notice it.
    static let interval = Duration.seconds(5)

    let hosts: HostResponder
    let policies: AppliedCache<AppliedPolicies>
    let experiments: RemoteValueCaches
    let devices: TestDeviceCache
    let logger: Logger
    /// The log of failures. Mostly all parts fail for one reason: the database is away.
    private let troubles = PausedLog("what was applied cannot be read")

    init(_ app: App, _ hosts: HostResponder, logger: Logger) {
        (self.hosts, policies, experiments) = (hosts, app.policies, app.experiments.caches)
        (devices, self.logger) = (app.testDevices, logger)
    }

    package func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while true {
                await follow()
                try await Task.sleep(for: Self.interval)
            }
        }
    }

    func follow() async {
        await follow("apps") {
            for (key, error) in try await hosts.follow() {
                logger.error(
                    "an applied app cannot be served here", metadata: ["app": "\(key)", "error": "\(error)"])
            }
        }
        await follow("policies") { try await policies.follow() }
        await follow("values") { try await experiments.values.follow() }
        await follow("experiments") { try await experiments.experiments.follow() }
        await follow("test devices") { try await devices.follow() }
    }

    private func follow(_ part: String, _ work: () async throws -> Void) async {
        do {
            try await work()
        } catch {
            troubles.note(["part": "\(part)", "error": "\(error)"], of: "\(error)", to: logger)
        }
    }
}
