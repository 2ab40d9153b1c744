import Foundation
import Synchronization

/// Hashes visitors' facts with the salt of the day, if the operator wants likely matches.
final class InstallMatching: Sendable {
    private let store: InstallSaltStore
    private let policy: InstallPolicy
    private let world: World
    private let today = Mutex<(day: Int, salt: [UInt8])?>(nil)

    init(store: InstallSaltStore, policy: InstallPolicy, world: World) {
        (self.store, self.policy, self.world) = (store, policy, world)
    }

    /// Whether facts are kept at all.
    var isOn: Bool { policy.matching == .likely }

    /// What a tap leaves of its visitor; nil if nothing is to be kept, or not all facts are known.
    func trace(_ visitor: () -> VisitorFacts?) async throws -> UUID? {
        guard isOn, let facts = visitor() else { return nil }
        let day = Int(world.now().timeIntervalSince1970) / 86_400
        if let known = today.withLock({ $0 }), known.day == day { return facts.hash(salt: known.salt) }
        let salt = try await store.today(orNew: world.randomBytes(32))
        today.withLock { $0 = (day, salt) }
        return facts.hash(salt: salt)
    }

    /// What a tap of the same visitor within the last days may have left.
    func traces(_ facts: VisitorFacts) async throws -> [UUID] {
        try await store.recent().map { facts.hash(salt: $0) }
    }
}
