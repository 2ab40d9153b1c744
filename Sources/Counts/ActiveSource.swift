import Crypto
import Foundation
package import Kernel
import Synchronization
import Web

/// Who called with a token of their own, of this day and this month. Nothing says who it was: a person is
/// told apart by a hash with the salt of the day, and another one with that of the month.
package final class ActiveSource: CountSource {
    package static let name = "active"

    private struct State {
        /// Who called since they were counted last.
        var waiting: Set<User.ID> = []
        /// Who of them is in the part that is being written.
        var taken: Set<User.ID> = []
        /// Whom this server has counted.
        var counted: [SaltStore.Span: People] = [:]
        /// What `counted` is once the part is written.
        var next: [SaltStore.Span: People] = [:]
    }

    /// The people of a span that began on a day.
    private struct People {
        var first: String
        var sketch = Sketch()
    }

    /// The most who wait. While the database is away, further ones are counted when they call again.
    private static let most = 100_000

    private let salts: SaltStore
    private let state = Mutex(State())

    package init(salts: SaltStore) {
        self.salts = salts
    }

    package func note(_ user: User.ID) {
        state.withLock { state in
            if state.waiting.count < Self.most { state.waiting.insert(user) }
        }
    }

    package func next(after position: Int64) async throws -> CountedPart? {
        let waiting = state.withLock { state in
            state.taken = state.waiting
            return state.waiting
        }
        guard !waiting.isEmpty else { return nil }
        let tallies =
            try await tallies(of: waiting, .day, "people.active")
            + tallies(of: waiting, .month, "people.active_monthly")
        guard !tallies.isEmpty else {
            didCount()
            return nil
        }
        return CountedPart(tallies, end: position + 1, isFull: false)
    }

    /// Returns tallies of those whom this server has not counted in the span.
    private func tallies(
        of users: Set<User.ID>, _ span: SaltStore.Span, _ measure: String
    ) async throws -> [Tally] {
        let key = SymmetricKey(data: try await salts.today(span))
        let first = salts.first(of: span)
        let counted = state.withLock { $0.counted[span] }
        var people = counted.flatMap { $0.first == first ? $0 : nil } ?? People(first: first)
        var tallies: [Tally] = []
        for user in users {
            let hash = withUnsafeBytes(of: user.uuid.uuid) {
                HMAC<SHA256>.authenticationCode(for: $0, using: key)
            }
            let member = hash.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            guard people.sketch.add(member) else { continue }
            tallies.append(Tally(.init("", measure, on: first), member: member))
        }
        state.withLock { $0.next[span] = people }
        return tallies
    }

    package func didCount() {
        state.withLock { state in
            state.waiting.subtract(state.taken)
            state.counted.merge(state.next) { $1 }
        }
    }
}
