import Kernel

/// The columns that an import file must have, and those that it may have.
package struct ImportColumns: Sendable {
    /// What the file holds, such as `users`.
    let name: String
    let required: [String]
    let optional: [String]
    /// The types of the columns that are not text.
    let types: [String: String]
    /// Reads the first line. Throws an `ImportError`.
    let header: @Sendable (_ names: [String]) throws -> Header

    /// The first line of a file.
    package struct Header: Sendable {
        /// The columns, by Kith's names.
        package let columns: [String]
        /// Whether the line is already a row.
        package var isRow = false

        package init(columns: [String], isRow: Bool = false) {
            self.columns = columns
            self.isRow = isRow
        }
    }

    package var all: [String] { required + optional }

    /// - Parameter header: reads the first line if a file may have other names for its columns.
    package init(
        of name: String, _ required: [String], _ optional: [String], types: [String: String] = [:],
        header: (@Sendable (_ names: [String]) throws -> Header)? = nil
    ) {
        (self.name, self.required, self.optional, self.types) = (name, required, optional, types)
        self.header = header ?? { try Self.check($0, of: name, required, optional) }
    }

    /// Checks the names of the columns, whether in upper or lower case.
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
