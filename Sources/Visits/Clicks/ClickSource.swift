package import Counts
import Foundation
package import Kernel
package import Postgres
import Synchronization

/// The visits that wait for being counted.
package final class ClickSource: CountSource {
    package static let name = "clicks"
    private static let most = 2000

    private let store: ClickStore
    /// All domains of deep links.
    private let domains: [LinkDomain]
    /// Returns a statement that notes how often links were opened, in the transaction that counts the visits.
    private let noting: @Sendable ([ClickedLink: Int]) -> Statement
    private let bound = Mutex(ClickBound())

    package init(
        store: ClickStore, domains: [LinkDomain],
        noting: @escaping @Sendable ([ClickedLink: Int]) -> Statement
    ) {
        (self.store, self.domains, self.noting) = (store, domains, noting)
    }

    package func next(after position: Int64) async throws -> CountedPart? {
        let rows = try await store.waiting(Self.most, from: bound.withLock { $0.begin(at: .now) })
        guard let first = rows.first else { return nil }
        bound.withLock { $0.found(first.seq, at: .now) }
        let opened = rows.filter { $0.event.statistics.contains(.click) }
            .reduce(into: [ClickedLink: Int]()) { $0[$1.link, default: 0] += 1 }
        let owners = try await store.owners(of: rows)
        let shared = try await store.shared(rows, owners)
        let gone = try await store.gone(among: rows, owners)
        let tallies = (rows.flatMap { $0.tallies(in: domains) } + shared.flatMap(\.tallies)).filter {
            !gone.contains($0.key.subject)
        }
        return CountedPart(
            tallies, end: position + 1,
            taking: [
                (ClickStore.take(rows.map(\.seq)), rows.count), (noting(opened), nil),
            ], isFull: rows.count == Self.most)
    }

    package func lag(after position: Int64) async throws -> Double? {
        try await store.lag(from: bound.withLock { $0.from })
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
    var at: Date

    /// Returns what it adds to.
    func tallies(in domains: [LinkDomain]) -> [Tally] {
        let isVisit = event.statistics.contains(.click)
        return link.subjects(parts, in: domains).map { subject, parts in
            // Whoever invites sees how often their links were opened, not by how many.
            let isToldApart = isVisit && (link.family == "links" || subject.isEmpty)
            return Tally(
                .init(subject, link.measure(of: event), on: day), parts: parts,
                member: isToldApart ? trace?.firstBits : nil)
        }
    }
}

/// A visit of an invite, as one of what came of its user's sign-up.
struct SharedInvite: Sendable {
    /// Of how long it took until somebody first opened an invite of a user. The user's own row says that it
    /// was counted.
    static let first = "invites.time_to_share"

    var link: ClickedLink
    /// The seconds from the sign-up to the visit.
    var seconds: Double
    /// The day of the sign-up.
    var joinedOn: String
    /// The day of the visit.
    var day: String
    /// Whether nobody opened an invite of theirs before.
    var isFirst: Bool

    var tallies: [Tally] {
        let opened = Cohort.measure("opened", seconds).map { Tally(.init("", $0, on: joinedOn)) }
        return [opened].compactMap(\.self) + (isFirst ? firsts : [])
    }

    private var firsts: [Tally] {
        let parts = [CountDimension.seconds: CountDuration.value(seconds)]
        return [
            Tally(.init("", Self.first, on: day), parts: parts), Tally(.init(link.text, Self.first, on: day)),
        ]
    }
}
