internal import Synchronization

/// How old the data may be that the reads of a task find.
final class Freshness: Sendable {
    let maxAge: Duration
    /// What they must find at least.
    let after: WALPosition?
    /// Outer nil: nobody was asked yet. Inner nil: the primary.
    private let chosen = Mutex<Standby??>(nil)

    init(maxAge: Duration, after: WALPosition?) {
        self.maxAge = maxAge
        self.after = after
    }

    /// nil: they find the latest, so they go to the primary.
    @TaskLocal static var current: Freshness?

    /// The standby that the first read chose; nil for the primary.
    ///
    /// A later read must not find an older state than an earlier one, on which it may build.
    func standby(_ choose: () -> Standby?) -> Standby? {
        chosen.withLock { chosen in
            if let chosen { return chosen }
            let standby = choose()
            chosen = .some(standby)
            return standby
        }
    }

    func stayWithPrimary() {
        chosen.withLock { $0 = .some(nil) }
    }
}

extension Database {
    /// Lets the reads in `body` go to a standby that has all that was committed `maxAge` ago and before `after`; all others
    /// go to the primary.
    ///
    /// Writes always go to the primary. Nothing changes without `Configuration.standbys`.
    public nonisolated(nonsending) func allowingStandbys<T>(
        within maxAge: Duration, after: WALPosition? = nil,
        _ body: nonisolated(nonsending) () async throws -> T
    ) async rethrows -> T {
        guard hasStandbys, maxAge > .zero else { return try await body() }
        return try await Freshness.$current.withValue(Freshness(maxAge: maxAge, after: after)) {
            try await body()
        }
    }

    /// Whether reads of this task may go to standbys.
    public static var mayAskStandbys: Bool { Freshness.current != nil }

    /// Whether reads may go to standbys.
    public var hasStandbys: Bool { standbys != nil }

    /// How many standbys were named.
    public var standbyCount: Int { standbys?.count ?? 0 }

    /// A place in the write-ahead log after all that is committed now.
    public func position() async throws -> WALPosition? {
        try await read.ofPrimary.first(PrimaryPosition.ask) { try PrimaryPosition(&$0) }?.position
    }
}
