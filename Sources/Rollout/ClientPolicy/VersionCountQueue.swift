import Synchronization

/// Calls that were counted, but are not written yet.
package final class VersionCountQueue: Sendable {
    private struct State {
        var counts: [VersionCount: VersionCalls] = [:]
        /// How many installations wait in these.
        var installations = 0
        /// The versions that are always counted, even when the queue is full.
        var kept: Set<VersionCount.Release> = []
        var frequent = FrequentVersions()
    }

    private let waiting = Mutex(State())
    /// The most counts while the database is away, or versions are made up. Further ones become `other`.
    private static let most = 5_000
    /// The most installations. Further ones are counted when they call again.
    private static let mostInstallations = 100_000

    package init() {}

    func add(_ count: VersionCount, _ calls: VersionCalls = VersionCalls(number: 1)) {
        waiting.withLock { waiting in
            var count = count
            if waiting.counts.count >= Self.most, waiting.counts[count] == nil, !count.isKept(waiting.kept) {
                count.version = VersionCount.other
            }
            var calls = calls
            if waiting.installations >= Self.mostInstallations { calls.installations = [] }
            waiting.installations += calls.installations.count
            waiting.counts[count, default: VersionCalls()] += calls
        }
    }

    /// Returns all counts and removes them.
    func take() -> [VersionCount: VersionCalls] {
        waiting.withLock { waiting in
            defer { (waiting.counts, waiting.installations) = ([:], 0) }
            return waiting.counts
        }
    }

    /// Returns which versions are frequent with what was taken, and the sums to remember once it is written.
    func frequent(
        with counts: [VersionCount: VersionCalls]
    ) -> (releases: Set<VersionCount.Release>, sums: FrequentVersions) {
        var sums = waiting.withLock { $0.frequent }
        return (sums.add(counts), sums)
    }

    func remember(_ sums: FrequentVersions) {
        waiting.withLock { $0.frequent = sums }
    }

    /// Keeps room for these from now on, however many others there are.
    func keep(_ releases: Set<VersionCount.Release>) {
        waiting.withLock { $0.kept = releases }
    }
}
