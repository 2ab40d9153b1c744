import Foundation

/// An invite that came through a store, and was claimed after the installation.
struct ClaimedInvite: Sendable {
    var inviter: User.ID
    var reference: InviteReference
    var confidence: Confidence
    /// Of the visitor in experiments.
    var unit: UUID?

    /// How sure it is that the app was installed by the visitor who opened the link.
    enum Confidence: String, Codable, Sendable {
        /// The app has the token of the tap, or the link.
        case exact
        /// Only address, system and language agree.
        case likely
    }
}

/// Who keeps claims.
protocol ClaimedInvites: Sendable {
    /// What was claimed; nil if there is no such claim, or it has expired.
    func find(_ claim: ClaimToken) async throws -> ClaimedInvite?
}
