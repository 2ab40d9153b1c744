package import Counts
import Foundation

/// What taps leave of their visitors: facts, hashed with the salt of the day, if the operator wants likely
/// matches. `InstallStore.likely` decides which tap an installation came from.
package struct VisitorTraces: Sendable {
    package let salts: SaltStore
    package let policy: InstallPolicy

    package init(salts: SaltStore, policy: InstallPolicy) {
        self.salts = salts
        self.policy = policy
    }

    /// Whether facts are kept at all.
    var isOn: Bool { policy.matching == .likely }

    /// Returns what a tap leaves of its visitor. Nil if nothing is to be kept, or not all facts are known.
    func ofTap(_ visitor: () -> VisitorFacts?) async throws -> UUID? {
        guard isOn, let facts = visitor() else { return nil }
        return facts.hash(salt: try await salts.today())
    }

    /// Returns what a tap of the same visitor within the last days may have left.
    func ofRecentTaps(_ facts: VisitorFacts) async throws -> [UUID] {
        try await salts.recent().map { facts.hash(salt: $0) }
    }
}
