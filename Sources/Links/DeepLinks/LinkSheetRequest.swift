import Foundation
import Imports
import Kernel
import Web

/// The body that makes many links: `{"csv": "name,link\nFair,https://example.com/fair", "dryRun": true}`.
struct LinkSheetRequest: JSONBody, Sendable {
    /// The domain. If it is absent, the app's first one counts.
    let domain: String?
    /// A table whose first line names the columns.
    let csv: String
    /// Whether it is only looked at.
    let dryRun: Bool?

    enum CodingKeys: CodingKey, CaseIterable { case domain, csv, dryRun }

    static let mostLinks = 500
    private static let ownColumns = ["name", "code", "tags", "note"]

    /// A line, as the body of the call that makes one link.
    struct Line: Sendable {
        let number: Int
        let values: [String: String]

        subscript(column: String) -> String? { values[column] }

        var parameters: [String: String] {
            values.filter { LinkParameter(rawValue: $0.key) != nil }
        }

        /// Tags are divided by commas, of which a Japanese keyboard has another.
        var tags: [String] {
            (values["tags"] ?? "").split(whereSeparator: { ",、;".contains($0) }).map(String.init)
        }
    }

    /// Returns the lines. Throws a 400 that names the field.
    func lines() throws(Problem) -> [Line] {
        guard let rows = CSVText.rows(csv) else {
            throw .invalid("csv", "has a quoted field without an end")
        }
        let names = (rows.first?.fields ?? []).map {
            $0.trimmingCharacters(in: .whitespaces).lowercased()
        }
        guard names.contains("link") else {
            throw .invalid("csv", "must begin with a line that names its columns, of which one is link")
        }
        let known = Self.ownColumns + LinkParameter.allCases.map(\.rawValue)
        if let stranger = names.first(where: { !known.contains($0) }) {
            throw .invalid("csv", "has the unknown column '\(stranger.prefix(50))'")
        }
        guard Set(names).count == names.count else { throw .invalid("csv", "has a column twice") }
        guard (1...Self.mostLinks).contains(rows.count - 1) else {
            throw .invalid("csv", "must have 1 to \(Self.mostLinks) lines below the names of the columns")
        }
        if let long = rows.first(where: { $0.fields.count > names.count }) {
            throw .invalid("csv", "has more fields on line \(long.line) than columns")
        }
        return rows.dropFirst().map { row in
            let pairs = zip(names, row.fields).map { ($0, $1.trimmingCharacters(in: .whitespaces)) }
            return Line(
                number: row.line,
                values: Dictionary(uniqueKeysWithValues: pairs.filter { !$0.1.isEmpty }))
        }
    }
}
