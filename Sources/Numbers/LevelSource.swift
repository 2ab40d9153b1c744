package import Counts
package import Postgres

/// How many there are of things that come and go, such as free offer codes. It is looked at each hour, and a
/// day keeps what was last.
package struct LevelSource: CountSource {
    package static let name = "levels"

    private let store: LevelStore
    private let policy: CountPolicy

    package init(db: Database, policy: CountPolicy) {
        (store, self.policy) = (LevelStore(db: db), policy)
    }

    /// - Parameter position: the hour of the last look, since 1970.
    package func next(after position: Int64) async throws -> CountedPart? {
        // A clock that was ahead may have been set right since.
        guard let (hour, day) = try await store.now(policy), hour != position else { return nil }
        let levels = try await store.levels(on: day)
        return CountedPart(levels, end: hour, isFull: false, way: .replacing)
    }
}
