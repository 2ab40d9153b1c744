/// How old the data may be that the reads of a task find.
struct Freshness: Sendable {
    let maxAge: Duration
    /// What they must find at least.
    let after: WALPosition?

    /// nil: they find the latest, so they go to the primary.
    @TaskLocal static var current: Freshness?
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

    /// Whether reads may go to standbys.
    public var hasStandbys: Bool { standbys != nil }

    /// How many standbys were named.
    public var standbyCount: Int { standbys?.count ?? 0 }

    /// A place in the write-ahead log after all that is committed now.
    public func position() async throws -> WALPosition? {
        try await read.ofPrimary.first(PrimaryPosition.ask) { try PrimaryPosition(&$0) }?.position
    }
}
