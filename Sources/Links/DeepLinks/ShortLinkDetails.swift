package import Kernel
import Web

/// What operators say about a short link. No visitor and no app learns it.
package struct ShortLinkDetails: Sendable {
    package var name: String?
    package var note: String?
    package var tags: [LinkTag]

    package init(name: String? = nil, note: String? = nil, tags: [LinkTag] = []) {
        (self.name, self.note, self.tags) = (name, note, tags)
    }

    /// The most characters of a name, and of a note.
    static let (longestName, longestNote) = (100, 500)

    static func name(_ text: String?) throws(Problem) -> String? {
        try line(text, "name", atMost: longestName)
    }

    static func note(_ text: String?) throws(Problem) -> String? {
        try line(text, "note", atMost: longestNote)
    }

    /// Returns a text without white space around it. Throws a 400 that names the field.
    static func line(_ text: String?, _ field: String, atMost limit: Int) throws(Problem) -> String? {
        guard let text else { return nil }
        guard let line = OneLine(text, atMost: limit) else {
            throw .invalid(field, "must be one line of 1 to \(limit) characters")
        }
        return line.text
    }
}
