import Kernel

/// A line of a CSV file in the form that COPY reads back: a missing field is empty, an empty one is "".
package enum CSVLine {
    package static func text(_ fields: [String?]) -> String {
        fields.map { field in
            guard let field else { return "" }
            return field.isEmpty || field.utf8.contains(where: { ",\"\n\r".utf8.contains($0) })
                ? "\"\(field.replacing("\"", with: "\"\""))\"" : field
        }
        .joined(separator: ",")
    }
}
