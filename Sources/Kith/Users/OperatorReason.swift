import Foundation

/// Why an operator does something to an account: one line of 1 to 500 characters.
struct OperatorReason: Sendable {
    let text: String

    /// White space around it is dropped. Nil where nothing is left, it is too long, or it is more than a
    /// line.
    init?(_ text: String) {
        let trimmed = text.trimmingCharacters(in: .whitespaces)
        guard trimmed.isOneLine(ofAtMost: 500) else { return nil }
        self.text = trimmed
    }
}
