import Foundation

/// What stands in a cell of a table, or beside a name.
enum Cell: Sendable {
    case text(String)
    /// A text of which a long one is cut by its look alone.
    case long(String)
    /// What the API says.
    case said(String)
    case number(Int)
    case decimal(Double)
    /// A share, from 0 to 1.
    case share(Double)
    case time(String)
    case link(String, String)
    case badge(Badge.Kind, String)
    case badges([String])
    case code(String)
    case button(Form)
    case many([Cell])
    case none

    var isNumber: Bool {
        switch self {
        case .number, .decimal, .share: true
        case .many(let cells): cells.first?.isNumber ?? false
        default: false
        }
    }

    func markup(_ words: Words) -> Markup {
        switch self {
        case .text(let text): Markup(text)
        case .long(let text): tag("span", ["class": "long", "title": text], text)
        case .said(let text): words.said(text)
        case .number(let number): Markup(words.number(number))
        case .decimal(let number): Markup(words.decimal(number))
        case .share(let share): Markup(words.share(share))
        case .time(let text): words.time(text)
        case .link(let path, let text): anchor(path, text)
        case .badge(let kind, let text): Badge(kind: kind, text: text).markup(words)
        case .badges(let texts): Markup(texts.map { Badge(kind: .plain, text: $0).markup(words) })
        case .code(let text): tag("code", [:], text)
        case .button(let form): form.markup(words)
        case .many(let cells):
            tag("span", ["class": "many"], cells.map { tag("span", ["class": "one"], $0.markup(words)) })
        case .none: tag("span", ["class": "soft"], "–")
        }
    }
}

/// A word that says in which state something is.
struct Badge: Part {
    enum Kind: String, Sendable { case plain, good, warning, bad }
    let kind: Kind
    let text: String

    func markup(_ words: Words) -> Markup { tag("span", ["class": "badge \(kind.rawValue)"], text) }
}

/// Rows with a head.
struct Table: Part {
    struct Column: Sendable {
        let title: String
        /// Where a click on the title leads, which orders by the column.
        var path: String?
        /// Whether the rows are in its order.
        var isOrder = false

        init(_ title: String, path: String? = nil, isOrder: Bool = false) {
            (self.title, self.path, self.isOrder) = (title, path, isOrder)
        }
    }

    let caption: String
    let columns: [Column]
    let rows: [[Cell]]
    /// The way to the next rows. Nil on the last page.
    var next: String?

    init(_ caption: String, _ columns: [Column], _ rows: [[Cell]], next: String? = nil) {
        (self.caption, self.columns, self.rows, self.next) = (caption, columns, rows, next)
    }

    init(_ caption: String, _ columns: [String], _ rows: [[Cell]], next: String? = nil) {
        self.init(caption, columns.map { Column($0) }, rows, next: next)
    }

    func markup(_ words: Words) -> Markup {
        let areNumbers = columns.indices.map { place in
            !rows.isEmpty && rows.allSatisfy { place < $0.count && ($0[place].isNumber || isNone($0[place])) }
        }
        let head = zip(columns, areNumbers).map { column, isNumber in
            tag(
                "th",
                [
                    "scope": "col", "class": isNumber ? "number" : nil,
                    "aria-sort": column.isOrder ? "descending" : nil,
                ],
                [column.path.map { anchor($0, column.title) } ?? Markup(column.title)])
        }
        let body = rows.map { row in
            tag(
                "tr", [:],
                row.enumerated().map { place, cell in
                    let attributes: Attributes = [
                        "class": areNumbers[place] ? "number" : nil,
                        // On a phone each cell says what it is.
                        "data-name": columns[place].title, "scope": place == 0 ? "row" : nil,
                    ]
                    let content = cell.markup(words)
                    return place == 0 ? tag("th", attributes, content) : tag("td", attributes, content)
                })
        }
        let table = tag(
            "table", [:],
            tag("caption", ["class": "unseen"], caption), tag("thead", [:], tag("tr", [:], head)),
            tag("tbody", [:], body))
        let more = next.map {
            tag("p", ["class": "ways"], anchor($0, words["kit.next"], ["class": "button", "rel": "next"]))
        }
        return tag(
            "div", ["class": "table", "role": "region", "aria-label": caption, "tabindex": "0"], table)
            + (more ?? .nothing)
    }

    private func isNone(_ cell: Cell) -> Bool { if case .none = cell { true } else { false } }
}
