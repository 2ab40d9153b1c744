package import Foundation
package import Kernel
import Web

/// The name of what an app claimed after its installation, a row of `installs`. Nobody can guess it.
package struct ClaimToken: InstallKey {
    package let inviter: User.ID
    /// The row's `claim_id`.
    package let id: UUID

    package init(inviter: User.ID, id: UUID) {
        self.inviter = inviter
        self.id = id
    }
}

/// The name of a row of `installs`: its inviter and a random id. As text it has 43 characters of base64url.
package protocol InstallKey: Hashable, Sendable {
    var inviter: User.ID { get }
    var id: UUID { get }

    init(inviter: User.ID, id: UUID)
}

package extension InstallKey {
    /// Reads a token. Nil for a text that `text` cannot be.
    init?(_ text: String) {
        guard let bytes = Base64URL.decode(Array(text.utf8)[...]), bytes.count == 32 else { return nil }
        self.init(inviter: User.ID(UUID(bytes: bytes[..<16])), id: UUID(bytes: bytes[16...]))
    }

    var text: String { Base64URL.encode(inviter.uuid.bytes + id.bytes) }
}
