import Synchronization

/// Calls that are counted, and not written yet.
final class VersionCountQueue: Sendable {
    private let waiting = Mutex<[VersionCount: Int]>([:])
    /// While the database is away; further versions are `other`.
    private static let most = 5_000

    func add(_ count: VersionCount, _ number: Int = 1) {
        waiting.withLock { waiting in
            var count = count
            if waiting.count >= Self.most, waiting[count] == nil { count.version = VersionCount.other }
            waiting[count, default: 0] += number
        }
    }

    /// All, which are then no longer here.
    func take() -> [VersionCount: Int] {
        waiting.withLock { waiting in
            defer { waiting = [:] }
            return waiting
        }
    }
}
