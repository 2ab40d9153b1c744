import Foundation
package import Web

/// A word by which operators find short links. All spellings of a tag that look alike are one: in lower case,
/// composed (NFC), with single blanks.
package struct LinkTag: Hashable, Sendable {
    package let text: String

    /// How many tags a link has at most.
    package static let most = 10
    /// How many code points a tag has at most.
    private static let longest = 32

    /// Nil unless the text is 1 to 32 letters, digits and accents of any script, blanks and `-_.:/`, one
    /// letter or digit among them.
    package init?(_ given: String) {
        // Nothing long is folded.
        guard given.utf8.count <= 16 * Self.longest else { return nil }
        let lower = given.precomposedStringWithCanonicalMapping.lowercased()
        let text = lower.split(separator: " ").joined(separator: " ").precomposedStringWithCanonicalMapping
        let scalars = text.unicodeScalars
        guard scalars.count <= Self.longest, scalars.allSatisfy(Self.isAllowed),
            scalars.contains(where: Self.isWord)
        else { return nil }
        self.text = text
    }

    /// Reads the tag of a query.
    package init?(_ query: Query) throws(Problem) {
        guard let text = try query.value("tag") else { return nil }
        guard let tag = LinkTag(text) else { throw .invalid("tag", "must be \(Self.rule)") }
        self = tag
    }

    /// Returns the tags of a link, each once. Throws a 400 that names the field.
    package static func tags(_ given: [String], _ field: String = "tags") throws(Problem) -> [LinkTag] {
        guard given.count <= most else { throw .invalid(field, "must be \(most) at most") }
        var tags: [LinkTag] = []
        for text in given {
            guard let tag = LinkTag(text) else { throw .invalid(field, "must each be \(rule)") }
            if !tags.contains(tag) { tags.append(tag) }
        }
        return tags
    }

    package static let rule =
        "1 to \(longest) letters, digits, blanks and - _ . : /, with a letter or a digit"

    private static func isWord(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .decimalNumber, .letterNumber, .otherNumber:
            // A filler is a letter that nobody sees.
            !scalar.properties.isDefaultIgnorableCodePoint
        default: false
        }
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark: !scalar.properties.isDefaultIgnorableCodePoint
        default: isWord(scalar) || " -_.:/".unicodeScalars.contains(scalar)
        }
    }
}
