import Web

/// Counts as bars one below another: how a sum divides, or the steps of a funnel.
package struct RowChart: Chart {
    package struct Row: Sendable {
        package let name: String
        package let count: Int
        let look: Int

        package init(_ name: String, _ count: Int, look: Int = 0) {
            (self.name, self.count, self.look) = (name, max(0, count), ChartStyle.look(look))
        }
    }

    package enum Form: Sendable {
        /// The rows are parts of their sum.
        case parts
        /// Each row is what remains of the first.
        case funnel
    }

    package var title: String
    package let rows: [Row]
    package let form: Form

    /// The most rows. The rest of parts are summed; the rest of a funnel is left out.
    static let mostRows = 24
    private static let rowHeight = 44.0

    package init(title: String = "", rows: [Row], form: Form) {
        (self.title, self.rows, self.form) = (title, Array(rows.prefix(Self.mostRows)), form)
    }

    /// Parts of a sum.
    /// - Parameters:
    ///   - values: most frequent first. Those beyond the rows that have room become others.
    ///   - others: the count of all other values.
    ///   - unknown: the count of what has no value.
    package init(
        title: String = "", values: [(name: String, count: Int)], others: Int, unknown: Int,
        _ words: ChartWords
    ) {
        let shown = values.prefix(Self.mostRows - 2).map { Row($0.name, $0.count) }
        let rest = values.dropFirst(Self.mostRows - 2).reduce(others) { TimeChart.sum($0, $1.count) }
        let all =
            shown + [
                Row(words.others, rest, look: TimeChart.Series.others),
                Row(words.unknown, unknown, look: TimeChart.Series.unknown),
            ]
        self.init(title: title, rows: all.filter { $0.count > 0 }, form: .parts)
    }

    private var whole: Int {
        form == .funnel ? rows.first?.count ?? 0 : rows.reduce(0) { TimeChart.sum($0, $1.count) }
    }

    private var isEmpty: Bool { rows.allSatisfy { $0.count == 0 } }

    /// Returns how much a row is of the whole and, in a funnel, of the row before.
    private func shares(_ row: Int, _ words: ChartWords) -> [String] {
        let share = words.share(rows[row].count, of: whole)
        guard form == .funnel else { return [share] }
        return [share, words.share(rows[row].count, of: row == 0 ? 0 : rows[row - 1].count)]
    }

    package func drawing(width: Double, _ words: ChartWords) -> ChartDrawing {
        guard !isEmpty else {
            return ChartDrawing(
                svg: ChartText.svg(words.nothing, width / 2, 60, "name soft", anchor: "middle"), height: 100)
        }
        let most = Double(rows.map(\.count).max() ?? 1)
        let svg = rows.enumerated().map { number, row in
            let y = Double(number) * Self.rowHeight
            let parts = shares(number, words)
            let before = number == 0 ? "" : parts.dropFirst().map { " · ↓ \($0)" }.joined()
            let amount = "\(row.count.grouped) · \(parts[0])\(before)"
            let room = width - ChartText.width(amount, 13) - 24
            let length = max(row.count > 0 ? 1 : 0, Double(row.count) / most * width)
            return """
                \(ChartText.svg(ChartText.fitted(row.name, within: room, 13), 0, y + 16, "name"))\
                \(ChartText.svg(amount, width, y + 16, "name soft", anchor: "end"))\
                <rect class="track" y="\((y + 24).written)" width="\(width.written)" height="12" rx="2"/>\
                <rect \(ChartStyle.fill(row.look)) y="\((y + 24).written)" width="\(length.written)" height="12" rx="2"/>
                """
        }
        return ChartDrawing(svg: svg.joined(), height: Double(rows.count) * Self.rowHeight)
    }

    package func summary(_ words: ChartWords) -> String {
        let parts = rows.map { "\($0.name) \(words.counted($0.count, of: whole))" }
        return words.sentence(
            (title.isEmpty ? [] : [title]) + [isEmpty ? words.nothing : words.list(parts)])
    }

    package func table(_ words: ChartWords) -> ChartTable {
        ChartTable(
            caption: title,
            head: ["", words.total] + (form == .funnel ? [words.ofFirst, words.ofPrevious] : [words.share]),
            rows: rows.enumerated().map { [$1.name, $1.count.grouped] + shares($0, words) })
    }
}
