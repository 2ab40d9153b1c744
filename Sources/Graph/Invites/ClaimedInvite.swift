package import Foundation
package import Kernel

/// An invite that came through a store, and was claimed after the installation.
package struct ClaimedInvite: Sendable {
    package var inviter: User.ID
    package var reference: InviteReference
    package var confidence: Confidence
    /// The visitor's unit in experiments.
    package var unit: UUID?
    /// By what the visit is counted that led to the store, or the pasted link: a line a dimension.
    package var visit: String?

    /// How sure it is that the app was installed by the visitor who opened the link.
    package enum Confidence: String, Codable, Sendable {
        /// The app has the token of the tap, or the link.
        case exact
        /// Only address, system and language agree.
        case likely
    }

    package init(
        inviter: User.ID, reference: InviteReference, confidence: Confidence, unit: UUID? = nil,
        visit: String? = nil
    ) {
        self.inviter = inviter
        self.reference = reference
        self.confidence = confidence
        self.unit = unit
        self.visit = visit
    }
}

/// The store of claims.
package protocol ClaimedInvites: Sendable {
    /// Returns what was claimed. Nil if there is no such claim, or it has expired.
    func find(_ claim: ClaimToken) async throws -> ClaimedInvite?
}
