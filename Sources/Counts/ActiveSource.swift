import Crypto
package import Foundation
package import Kernel
import Synchronization
import Web

/// Who with an active account called with a token of their own, of this day and this month, and which
/// installations asked for a policy, by version. Nothing says who it was: they are told apart by a hash with
/// the salt of the day, and people by another one with that of the month.
package final class ActiveSource: CountSource {
    package static let name = "active"

    /// A sum of different ones, and for how long the same one is counted once in it.
    private struct Group: Hashable {
        var subject: String
        var measure: String
        var span: SaltStore.Span
    }

    private struct State {
        /// Who called since they were counted last.
        var waiting: Set<Caller> = []
        /// Who of them is in the part that is being written.
        var taken: Set<Caller> = []
        /// Whom this server has counted.
        var counted: [Tally.Key: Sketch] = [:]
        /// What is new in `counted` once the part is written.
        var next: [Tally.Key: Sketch] = [:]
    }

    private struct Caller: Hashable {
        var id: UUID
        /// The version of an installation, as a subject. Nil for a user.
        var version: String?

        var groups: [Group] {
            if let version { return [Group(subject: version, measure: "versions.installations", span: .day)] }
            return [
                Group(subject: "", measure: "people.active", span: .day),
                Group(subject: "", measure: "people.active_monthly", span: .month),
            ]
        }
    }

    /// The most who wait. While the database is away, further ones are counted when they call again.
    private static let most = 100_000

    private let salts: SaltStore
    private let users: UserStore
    private let state = Mutex(State())

    package init(salts: SaltStore, users: UserStore) {
        (self.salts, self.users) = (salts, users)
    }

    package func note(_ user: User.ID) { note(Caller(id: user.uuid)) }

    /// - Parameter version: the subject of its sum, as `VersionCount` has it.
    package func note(installation id: UUID, of version: String) { note(Caller(id: id, version: version)) }

    private func note(_ caller: Caller) {
        state.withLock { state in
            if state.waiting.count < Self.most { state.waiting.insert(caller) }
        }
    }

    package func next(after position: Int64) async throws -> CountedPart? {
        let waiting = state.withLock { state in
            state.taken = state.waiting
            return state.waiting
        }
        guard !waiting.isEmpty else { return nil }
        let keys = [
            SaltStore.Span.day: SymmetricKey(data: try await salts.today(.day)),
            .month: SymmetricKey(data: try await salts.today(.month)),
        ]
        let firsts = [SaltStore.Span.day: salts.first(of: .day), .month: salts.first(of: .month)]
        var counted = state.withLock { $0.counted }.filter { firsts.values.contains($0.key.day) }
        var tallies: [Tally] = []
        // Anybody may call whom the app's sign-in knows, also without an account here.
        let active = try await users.active(waiting.filter { $0.version == nil }.map(\.id))
        for caller in waiting where caller.version != nil || active.contains(caller.id) {
            for group in caller.groups {
                guard let salt = keys[group.span], let first = firsts[group.span] else { continue }
                let key = Tally.Key(group.subject, group.measure, on: first)
                let member = Self.hash(caller.id, with: salt)
                guard counted[key, default: Sketch()].add(member) else { continue }
                tallies.append(Tally(key, member: member))
            }
        }
        state.withLock { $0.next = counted }
        guard !tallies.isEmpty else {
            didCount()
            return nil
        }
        return CountedPart(tallies, end: position + 1, isFull: false, way: .tellingApart)
    }

    private static func hash(_ id: UUID, with salt: SymmetricKey) -> UInt64 {
        withUnsafeBytes(of: id.uuid) { HMAC<SHA256>.authenticationCode(for: $0, using: salt) }
            .prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }

    package func didCount() {
        state.withLock { state in
            state.waiting.subtract(state.taken)
            state.counted = state.next
        }
    }
}
