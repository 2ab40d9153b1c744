import Crypto
package import Foundation
import Graph
package import Kernel
import Web

/// A token that travels through a store, and names the row of `installs` that the tap left. Nobody can guess
/// it.
package struct InstallToken: InstallKey {
    package let inviter: User.ID
    package let id: UUID
}

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

    /// What the link had.
    struct Reference: Hashable, Sendable {
        var name: Username.Key
        var hasUID: Bool
        /// The code. It is set only if there is a uid.
        var code: Invite.Code?
    }
}

/// Settings of installs.
package struct InstallPolicy: Sendable {
    /// `KITH_INSTALL_MATCHING`; exact. Whether an app without token and link may be matched by address,
    /// system and language.
    package var matching = Matching.exact

    package init() {}

    package enum Matching: String, Sendable {
        case exact, likely
    }

    /// How long a tap can be claimed, and how long a claim lasts after that.
    static let lifetime = Duration.seconds(30 * 86_400)
}

/// An installation of the app, which it names by an id of its own making.
struct InstallationID: Sendable {
    /// The first 16 bytes of its SHA-256. Nothing else about it is kept.
    let hash: UUID

    /// Nil unless the text has 1 to 128 characters and no control characters.
    init?(_ text: String) {
        guard text.isOneLine(ofAtMost: 128) else { return nil }
        hash = UUID(hashing: [Array(text.utf8)])
    }
}
