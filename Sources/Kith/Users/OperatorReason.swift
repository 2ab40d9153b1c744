/// An operator's reason for a change of an account: one line of 1 to 500 characters.
struct OperatorReason: Sendable {
    let text: String

    /// Trims white space. Nil if nothing visible is left, or `OneLine` refuses the text.
    init?(_ text: String) {
        guard let line = OneLine(text, atMost: 500) else { return nil }
        self.text = line.text
    }
}
