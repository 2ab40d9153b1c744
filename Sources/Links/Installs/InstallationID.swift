import Foundation
import Kernel
import Web

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
