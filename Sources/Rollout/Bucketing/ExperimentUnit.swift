package import Foundation
import Kernel

/// The unit of an experiment: an installation, a user, or the browser of a visitor on one day.
package struct ExperimentUnit: Hashable, Sendable {
    /// The text that decides the bucket. It is not stored.
    package let text: String
    /// The first 16 bytes of SHA-256 of the text. If the text is a uid, this is the key of the user, so that
    /// what is stored about the unit is deleted with the account.
    package let id: UUID

    /// Nil unless the text has 1 to 128 characters and no control characters.
    init?(_ text: String) {
        guard text.isOneLine(ofAtMost: 128) else { return nil }
        (self.text, id) = (text, User.ID(of: User.UID(stored: text)).uuid)
    }

    /// Creates the unit of a visitor of pages.
    /// - Parameter trace: an id that is the same for the same browser and address on one day.
    package init(visitor trace: UUID) {
        text = "visitor \(trace.uuidString.lowercased())"
        id = User.ID(of: User.UID(stored: text)).uuid
    }
}
