package import Foundation
import Kernel

/// Who is in an experiment: an installation, a user, or the browser of a visitor on one day.
package struct ExperimentUnit: Hashable, Sendable {
    /// Decides the bucket; nobody keeps it.
    package let text: String
    /// The first 16 bytes of SHA-256 of the text. If the text is a uid, it is the key of the user, so what is kept of the unit goes
    /// with the account.
    package let id: UUID

    /// Nil unless the text has 1 to 128 characters and no control characters.
    init?(_ text: String) {
        guard text.isOneLine(ofAtMost: 128) else { return nil }
        (self.text, id) = (text, User.ID(of: User.UID(stored: text)).uuid)
    }

    /// A visitor of pages.
    /// - Parameter trace: the same for the same browser and address on one day.
    package init(visitor trace: UUID) {
        text = "visitor \(trace.uuidString.lowercased())"
        id = User.ID(of: User.UID(stored: text)).uuid
    }
}
