import Synchronization

/// Calls that are counted, and not written yet.
package final class VersionCountQueue: Sendable {
    private struct State {
        var counts: [VersionCount: Int] = [:]
        /// Nobody can push these out.
        var kept: Set<VersionCount.Release> = []
    }

    private let waiting = Mutex(State())
    /// While the database is away, or versions are made up; further ones are `other`.
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

    /// All, which are then no longer here.
    func take() -> [VersionCount: Int] {
        waiting.withLock { waiting in
            defer { waiting.counts = [:] }
            return waiting.counts
        }
    }

    /// From now on there is room for these, however many others there are.
    func keep(_ releases: Set<VersionCount.Release>) {
        waiting.withLock { $0.kept = releases }
    }
}
