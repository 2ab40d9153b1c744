internal import Synchronization

/// How old the data may be that a task's reads find.
final class Freshness: Sendable {
    let maxAge: Duration
    /// A place in the write-ahead log that the standby must have reached. Nil if any will do.
    let after: WALPosition?
    /// The server that the first read chose. Outer nil: no read has chosen yet. Inner nil: the primary.
    private let chosen = Mutex<Standby??>(nil)

    init(maxAge: Duration, after: WALPosition?) {
        self.maxAge = maxAge
        self.after = after
    }

    /// The freshness that the current task allows. Nil if its reads must find the latest data, so they go to
    /// the primary.
    @TaskLocal static var current: Freshness?

    /// Returns the standby that the first read chose. Nil for the primary.
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
    /// Lets the reads in `body` go to a standby that has everything committed up to `maxAge` ago and
    /// everything before `after`. All other reads go to the primary.
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

    /// Returns a place in the write-ahead log behind everything committed so far.
    public func position() async throws -> WALPosition? {
        try await read.ofPrimary.first(PrimaryPosition.ask) { try PrimaryPosition(&$0) }?.position
    }
}
