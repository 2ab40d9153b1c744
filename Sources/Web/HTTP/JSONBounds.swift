/// What a JSON text may have at most.
package struct JSONBounds: Sendable {
    /// Objects and arrays in one another.
    var depth: Int
    /// Members of all its objects.
    var members: Int
    /// The bytes of a name.
    var name: Int
    /// Whether a text may have any number of accents in a row.
    var takesAllAccents = false

    /// Of a whole body, 64 KiB: a hundred uids of 128 characters with four bytes each take 52. A larger one is refused with 413.
    package static let bodySize = 64 * 1024

    /// A body with declared fields. A response may quote a name, which has twice the bytes that metadata allow, so that one a
    /// little too long for them is told as their mistake.
    static let body = JSONBounds(depth: 16, members: 4000, name: 128)
    /// A body or a token with any fields.
    package static let anyFields = JSONBounds(depth: 16, members: 1000, name: 1024)
    /// What is no client's: a file, a value of the database.
    package static let document = JSONBounds(depth: 64, members: .max, name: .max, takesAllAccents: true)
}
