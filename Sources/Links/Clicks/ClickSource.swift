package import Counts
import Foundation
import Postgres

/// The visits that wait for being counted.
package struct ClickSource: CountSource {
    package static let name = "clicks"
    private static let most = 2000

    private let store: ClickStore

    package init(store: ClickStore) {
        self.store = store
    }

    package func next(after position: Int64) async throws -> CountedPart? {
        let rows = try await store.waiting(Self.most)
        guard !rows.isEmpty else { return nil }
        let opened = rows.filter { $0.event.statistics.contains(.click) }
            .reduce(into: [ClickedLink: Int]()) { $0[$1.link, default: 0] += 1 }
        return CountedPart(
            rows.flatMap(\.tallies), end: position + 1,
            taking: [
                (ClickStore.take(rows.map(\.seq)), rows.count), (ShortLinkStore.add(clicks: opened), nil),
            ], isFull: rows.count == Self.most)
    }
}

/// A visit as it waits.
struct WaitingClick: Sendable {
    var seq: Int64
    var link: ClickedLink
    var event: Click.Event
    var parts: [CountDimension: String]
    var trace: UUID?
    var day: String

    /// What it adds to.
    var tallies: [Tally] {
        let isVisit = event.statistics.contains(.click)
        return link.subjects(parts).flatMap { subject, parts in
            let count = Tally(.init(subject, link.measure(of: event), on: day), parts: parts)
            guard isVisit, let trace, link.family == "links" || subject.isEmpty else { return [count] }
            return [count, Tally(.init(subject, "\(link.family).visitors", on: day), member: trace)]
        }
    }
}
