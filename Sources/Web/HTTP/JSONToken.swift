/// A part of a JSON text, as `JSONTokenizer` returns it.
enum JSONToken: Hashable, Sendable {
    case object, endOfObject
    case array, endOfArray
    /// The name of a member. Its value follows.
    case name(String)
    case text(String)
    /// A number as it was written.
    case number(String)
    case bool(Bool)
    case null
    /// The end of the whole text.
    case end
}

/// Why a text is not JSON or exceeds its bounds, and where.
package struct JSONFault: Error, Hashable {
    package let line: Int
    package let column: Int
    let kind: Kind

    enum Kind: Hashable {
        /// The text is not JSON. The reason is a sentence.
        case grammar(String)
        /// A text or name is wrong. The reason is a predicate: `holds a NUL`.
        case text(String)
        /// The whole text exceeds its bounds. The reason is a predicate: `is nested too deeply`.
        case bounds(String)
    }

    /// The reason as a sentence.
    package var reason: String {
        switch kind {
        case .grammar(let reason): reason
        case .text(let reason): "a text \(reason)"
        case .bounds(let reason): "it \(reason)"
        }
    }
}
