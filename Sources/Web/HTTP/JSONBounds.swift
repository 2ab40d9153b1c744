/// The limits of a JSON text.
package struct JSONBounds: Sendable {
    /// How deep objects and arrays may be nested.
    var depth: Int
    /// How many members all its objects may have together.
    var members: Int
    /// How many bytes a name may have.
    var name: Int
    /// Whether a text may have any number of accents in a row.
    var takesAllAccents = false

    /// The limits of a body with declared fields. A response may quote a name of at most twice the bytes that
    /// metadata allow, so that a client learns which name is a little too long.
    static let body = JSONBounds(depth: 16, members: 4000, name: 128)
    /// The limits of a body or a token with any fields.
    package static let anyFields = JSONBounds(depth: 16, members: 1000, name: 1024)
    /// The limits of items of what operators set.
    package static let items = JSONBounds(depth: 16, members: 20_000, name: 1024)
    /// The limits of a text that does not come from a client: a file, a value of the database.
    package static let document = JSONBounds(depth: 64, members: .max, name: .max, takesAllAccents: true)
}
