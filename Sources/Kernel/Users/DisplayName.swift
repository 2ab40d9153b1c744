/// A user's display name: one line of 1 to 100 characters, at most 300 bytes in UTF-8.
package struct DisplayName: Sendable {
    let text: String

    init?(_ text: String) {
        guard let line = OneLine(text, atMost: 100) else { return nil }
        self.text = line.text
    }
}
