/// A part of a JSON text, as `JSONTokenizer` gives them.
enum JSONToken: Hashable, Sendable {
    case object, endOfObject
    case array, endOfArray
    /// Of a member; its value follows.
    case name(String)
    case text(String)
    /// As it was written.
    case number(String)
    case bool(Bool)
    case null
    /// Of the whole text.
    case end
}

/// Why a text is not JSON, or not within its bounds, and where.
package struct JSONFault: Error, Hashable {
    package let line: Int
    package let column: Int
    let kind: Kind

    enum Kind: Hashable {
        /// A sentence.
        case grammar(String)
        /// A text or name is wrong: `holds a NUL`.
        case text(String)
        /// The whole is too large: `is nested too deeply`.
        case bounds(String)
    }

    /// A sentence.
    package var reason: String {
        switch kind {
        case .grammar(let reason): reason
        case .text(let reason): "a text \(reason)"
        case .bounds(let reason): "it \(reason)"
        }
    }
}
