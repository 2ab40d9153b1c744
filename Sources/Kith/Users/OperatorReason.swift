import Foundation

/// An operator's reason for a change of an account: one line of 1 to 500 characters.
struct OperatorReason: Sendable {
    let text: String

    /// Trims white space. Nil if nothing is left, or the text is too long or more than one line.
    init?(_ text: String) {
        let trimmed = text.trimmingCharacters(in: .whitespaces)
        guard trimmed.isOneLine(ofAtMost: 500) else { return nil }
        self.text = trimmed
    }
}
