import Foundation
import Web

/// A line of text that people read, in any script.
package struct OneLine: Sendable {
    package let text: String

    /// Trims white space. Nil if nothing visible is left, or the text is too long or contains control
    /// characters, line breaks or direction controls.
    /// - Parameter limit: how many code points it may have, and three times as many bytes in UTF-8.
    package init?(_ text: String, atMost limit: Int) {
        let trimmed = text.trimmingCharacters(in: .whitespaces)
        let scalars = trimmed.unicodeScalars
        guard scalars.count <= limit, trimmed.utf8.count <= limit * 3,
            !scalars.contains(where: Self.isForbidden),
            scalars.contains(where: { !$0.isBlank })
        else { return nil }
        self.text = trimmed
    }

    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: true
        default: (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
        }
    }
}
