import Foundation
import Graph
import Kernel
import Visits

/// An invite on its way through a store: what a tap on a store's button leaves behind.
package struct Install: Sendable {
    package var token: InstallToken
    var app: String
    var platform: AppPlatform
    var reference: Reference
    /// The visitor's facts, hashed. Nil if they are not kept.
    var facts: UUID?
    /// The visitor in experiments. Nil if they are in none.
    var unit: UUID?
    /// The campaign of the visit.
    var parts = ClickParts()

    /// What the link had.
    struct Reference: Hashable, Sendable {
        var name: Username.Key
        var hasUID: Bool
        /// The code. It is set only if there is a uid.
        var code: Invite.Code?
    }
}
