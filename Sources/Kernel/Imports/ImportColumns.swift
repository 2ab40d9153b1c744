/// The columns that a file of an import must have, and those it may have.
package struct ImportColumns: Sendable {
    /// What the file holds, as in `users`.
    let name: String
    let required: [String]
    let optional: [String]
    /// Of those that are no text.
    let types: [String: String]
    /// Reads the first line. Throws an `ImportError`.
    let header: @Sendable (_ names: [String]) throws -> Header

    /// The first line of a file.
    package struct Header: Sendable {
        /// The columns, by our names.
        package let columns: [String]
        /// Whether the line is a row already.
        package var isRow = false

        package init(columns: [String], isRow: Bool = false) {
            self.columns = columns
            self.isRow = isRow
        }
    }

    package var all: [String] { required + optional }

    /// - Parameter header: if a file may call its columns otherwise.
    package init(
        of name: String, _ required: [String], _ optional: [String], types: [String: String] = [:],
        header: (@Sendable (_ names: [String]) throws -> Header)? = nil
    ) {
        (self.name, self.required, self.optional, self.types) = (name, required, optional, types)
        self.header = header ?? { try Self.check($0, of: name, required, optional) }
    }

    /// Names count in any case.
    private static func check(
        _ given: [String], of file: String, _ required: [String], _ optional: [String]
    ) throws(ImportError) -> Header {
        let columns = given.map { $0.lowercased() }
        let known =
            "a file of \(file) has \(required.joined(separator: ","))"
            + optional.map { "[,\($0)]" }.joined()
        func fail(_ problem: String, _ names: [String]) -> ImportError {
            .malformed(line: 1, "\(problem) \(names.joined(separator: ", ")): \(known)")
        }
        let unknown = given.filter { !(required + optional).contains($0.lowercased()) }
        guard unknown.isEmpty else { throw fail("unknown column", unknown.map { "'\($0)'" }) }
        let missing = required.filter { !columns.contains($0) }
        guard missing.isEmpty else { throw fail("missing column", missing) }
        let twice = required + optional.filter { name in columns.count { $0 == name } > 1 }
        guard Set(columns).count == columns.count else { throw fail("duplicate column", twice) }
        return Header(columns: columns)
    }
}
