package import Web

/// An operator's reason for a change of an account: one line of 1 to 500 characters.
package struct OperatorReason: Sendable {
    package let text: String

    /// Trims white space. Nil if nothing visible is left, or `OneLine` refuses the text.
    package init?(_ text: String) {
        guard let line = OneLine(text, atMost: 500) else { return nil }
        self.text = line.text
    }
}

extension OperatorReason {
    /// Returns the reason in a body, or throws a 400.
    package static func requested(_ text: String) throws(Problem) -> OperatorReason {
        guard let reason = OperatorReason(text) else {
            throw .invalid("reason", "must be one line of 1 to 500 characters")
        }
        return reason
    }

    /// Returns the reason in a query, where it may be absent.
    package static func given(_ query: Query) throws(Problem) -> OperatorReason? {
        guard let text = try query.value("reason") else { return nil }
        return try requested(text)
    }
}
