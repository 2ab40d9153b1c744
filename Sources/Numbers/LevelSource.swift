package import Counts
import Foundation
package import Postgres
package import Web

/// How many there are of things that come and go, such as free offer codes. It is looked at each hour, and a
/// day keeps what was last.
package struct LevelSource: CountSource {
    package static let name = "levels"

    private let store: LevelStore
    private let policy: CountPolicy
    private let world: World

    package init(db: Database, policy: CountPolicy, world: World) {
        (store, self.policy, self.world) = (LevelStore(db: db), policy, world)
    }

    /// - Parameter position: the hour of the last look, since 1970.
    package func next(after position: Int64) async throws -> CountedPart? {
        let now = world.now()
        let hour = Int64(now.timeIntervalSince1970 / 3600)
        guard hour > position else { return nil }
        let levels = try await store.levels(on: DaySpan.day(of: now, in: policy.zone))
        return CountedPart(levels, end: hour, isFull: false, way: .replacing)
    }
}
