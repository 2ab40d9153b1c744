import Web

/// A mail address by which a person who runs the service is known, in lower case: two that differ by case
/// alone are one.
package struct EmailAddress: Hashable, Sendable {
    package let text: String

    /// Nil unless it is an address in visible ASCII of at most 254 characters, as in `ann@example.com`. No
    /// other script: letters that look alike could be two people.
    package init?(_ text: String) {
        guard text.utf8.count <= 254, text.utf8.allSatisfy(\.isVisibleASCII) else { return nil }
        let folded = text.lowercased()
        guard folded.wholeMatch(of: Self.form) != nil else { return nil }
        self.text = folded
    }

    /// Reads what the database keeps.
    init(stored text: String) { self.text = text }

    /// The part behind the `@`.
    package var domain: Substring { text[text.index(after: text.lastIndex(of: "@") ?? text.startIndex)...] }

    /// The form of browsers (https://html.spec.whatwg.org/#valid-e-mail-address).
    private static var form: some RegexComponent {
        /[a-z0-9.!#$%&'*+\/=?^_`{|}~\-]{1,64}@[a-z0-9](?:[a-z0-9\-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9\-]*[a-z0-9])?)*/
    }
}
