import Logging
import Postgres
import ServiceLifecycle

/// Writes every few seconds which versions called, once more when the server stops, and forgets old days once an hour. Several
/// servers may do so at once.
struct VersionCountService: Service {
    let queue: VersionCountQueue
    let store: VersionCountStore
    /// Those that the policies name.
    let named: @Sendable () -> Set<VersionCount.Release>
    let logger: Logger

    static let interval = Duration.seconds(5)
    private static let flushesBetweenSweeps = 720

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            var flushes = 0
            while true {
                if flushes % Self.flushesBetweenSweeps == 0 {
                    await note("old counts are kept") { try await store.forgetOld() }
                }
                try await Task.sleep(for: Self.interval)
                await note("counts of versions wait") { try await flush() }
                flushes += 1
            }
        }
        await note("counts of versions are lost") { try await flush() }
    }

    /// Counts that could not be written wait for the next flush, unless they may have been: they would count twice.
    func flush() async throws {
        let counts = queue.take()
        guard !counts.isEmpty else { return }
        do {
            let places = Set(counts.keys.map(\.place))
            let kept = try await store.usual(before: places).union(named())
            queue.keep(kept)
            let known = try await store.versions(in: places)
            try await store.add(VersionCount.bounded(counts, known: known, kept: kept))
        } catch {
            if (error as? PostgresError)?.mayHaveCommitted != true {
                for (count, number) in counts { queue.add(count, number) }
            }
            throw error
        }
    }

    private func note(_ trouble: Logger.Message, _ work: () async throws -> Void) async {
        do {
            try await work()
        } catch {
            let reason = (error as? PostgresError)?.explanation ?? "\(error)"
            logger.warning(trouble, metadata: ["error": "\(reason)"])
        }
    }
}
