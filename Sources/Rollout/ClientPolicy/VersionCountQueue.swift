import Synchronization

/// Calls that were counted, but are not written yet.
package final class VersionCountQueue: Sendable {
    private struct State {
        var counts: [VersionCount: Int] = [:]
        /// The versions that are always counted, even when the queue is full.
        var kept: Set<VersionCount.Release> = []
    }

    private let waiting = Mutex(State())
    /// The most counts while the database is away, or versions are made up. Further ones become `other`.
    private static let most = 5_000

    package init() {}

    func add(_ count: VersionCount, _ number: Int = 1) {
        waiting.withLock { waiting in
            var count = count
            if waiting.counts.count >= Self.most, waiting.counts[count] == nil, !count.isKept(waiting.kept) {
                count.version = VersionCount.other
            }
            waiting.counts[count, default: 0] += number
        }
    }

    /// Returns all counts and removes them.
    func take() -> [VersionCount: Int] {
        waiting.withLock { waiting in
            defer { waiting.counts = [:] }
            return waiting.counts
        }
    }

    /// Keeps room for these from now on, however many others there are.
    func keep(_ releases: Set<VersionCount.Release>) {
        waiting.withLock { $0.kept = releases }
    }
}
