import Hummingbird

/// What becomes of each line of a table of links.
package struct LinkSheetResponse: ResponseEncodable {
    /// How many links were made. None is, if a line is wrong.
    var made = 0
    var lines: [Line]

    struct Line: Encodable, Sendable {
        let line: Int
        var name: String?
        let link: String?
        /// Nil if there is no link yet.
        var url: String?
        /// What is wrong. Empty if nothing is.
        var problems: [Mistake] = []
        /// The parameters that are left out.
        var warnings: [ShortLinkResponse.Warning] = []
    }

    struct Mistake: Encodable, Sendable {
        let field: String?
        let detail: String
    }

    var isGood: Bool { lines.allSatisfy(\.problems.isEmpty) }
}
