package import Counts
import Events
import Foundation
package import Kernel
package import Postgres
import Web

/// The events that nobody has counted yet.
package struct EventSource: CountSource {
    package static let name = "events"
    private static let most = 2000

    private let store: CountedEventStore

    /// - Parameter domains: all domains of deep links.
    package init(db: Database, policy: CountPolicy, domains: [LinkDomain]) {
        store = CountedEventStore(db: db, policy: policy, domains: domains)
    }

    package func next(after position: Int64) async throws -> CountedPart? {
        guard let (events, last, isFull) = try await store.read(after: position, limit: Self.most) else {
            return nil
        }
        return CountedPart(events.flatMap(\.tallies), end: last, isFull: isFull)
    }

    package func lag(after position: Int64) async throws -> Double? { try await store.lag(after: position) }
}
