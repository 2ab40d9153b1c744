package import Counts
package import Logging
import Postgres
import ServiceLifecycle
import Web

/// Writes every few seconds which versions called, and once more when the server stops. Forgets old days once
/// an hour. Several servers may do so at once.
package struct VersionCountService: Service {
    package let queue: VersionCountQueue
    package let store: VersionCountStore
    /// Returns the versions that the policies name.
    package let active: ActiveSource
    package let named: @Sendable () -> Set<VersionCount.Release>
    package let logger: Logger

    package init(
        queue: VersionCountQueue, store: VersionCountStore, active: ActiveSource,
        named: @escaping @Sendable () -> Set<VersionCount.Release>, logger: Logger
    ) {
        self.queue = queue
        self.store = store
        self.active = active
        self.named = named
        self.logger = logger
    }

    static let interval = Duration.seconds(5)

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            await withTaskGroup { group in
                group.addTask {
                    await Periodic("old counts are kept", every: .seconds(3600), logger: logger).run {
                        try await store.forgetOld()
                    }
                }
                group.addTask {
                    await Periodic("counts of versions wait", every: Self.interval, logger: logger).run {
                        try await flush()
                    }
                }
            }
        }
        do { try await flush() } catch {
            logger.warning("counts of versions are lost", metadata: ["error": "\(error.reason)"])
        }
    }

    /// Writes the counts. Counts that could not be written wait for the next flush, unless they may have been
    /// written: they would count twice.
    func flush() async throws {
        let counts = queue.take()
        guard !counts.isEmpty else { return }
        do {
            let places = Set(counts.keys.map(\.place))
            let usual = try await store.usual(before: places)
            let (frequent, sums) = queue.frequent(with: counts)
            let kept = usual.union(named()).union(frequent)
            queue.keep(kept)
            let known = try await store.versions(in: places)
            let bounded = VersionCount.bounded(counts, known: known, kept: kept)
            try await store.add(bounded.mapValues(\.number))
            queue.remember(sums)
            for (count, calls) in bounded {
                for installation in calls.installations {
                    active.note(
                        installation: installation.id, of: count.subject(on: installation.system))
                }
            }
        } catch {
            if (error as? PostgresError)?.mayHaveCommitted != true {
                for (count, calls) in counts { queue.add(count, calls) }
            }
            throw error
        }
    }
}
