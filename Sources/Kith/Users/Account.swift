import Foundation

/// Why something is not done to an account; then nothing was written.
enum AccountRefusal: String, Error {
    /// The account is not active.
    case inactive = "account_inactive"
    /// The account was being changed by other calls at this instant.
    case changedMeanwhile = "changed_meanwhile"
}

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
