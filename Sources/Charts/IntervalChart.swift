/// Shares that are estimated: each with the interval in which it likely is.
package struct IntervalChart: Chart {
    package struct Row: Sendable {
        let name: String
        let low, middle, high: Double

        /// - Parameter middle: a part of 1, as are its bounds.
        package init(_ name: String, low: Double, _ middle: Double, high: Double) {
            func bounded(_ value: Double) -> Double { value.isFinite ? min(max(0, value), 1) : 0 }
            (self.name, self.low, self.middle, self.high) = (
                name, bounded(low), bounded(middle), bounded(high)
            )
        }
    }

    package var title: String
    package let rows: [Row]

    private static let rowHeight = 52.0

    package init(title: String = "", rows: [Row]) {
        (self.title, self.rows) = (title, Array(rows.prefix(RowChart.mostRows)))
    }

    package func drawing(width: Double, _ words: ChartWords) -> ChartDrawing {
        let (inset, bottom) = (14.0, Double(rows.count) * Self.rowHeight + 4)
        let scale = ChartScale(most: max(1, (rows.map(\.high).max() ?? 0) * 1000))
        func x(_ value: Double) -> Double { inset + value * 1000 / scale.top * (width - 2 * inset) }
        let ticks = scale.ticks.map { tick in
            let x = x(tick / 1000)
            return """
                <path class="line" d="M\(x.written) 0V\(bottom.written)"/>\
                \(ChartText.svg("\((tick / 10).written)%", x, bottom + 16, anchor: "middle"))
                """
        }
        let marks = rows.enumerated().map { number, row in
            let y = Double(number) * Self.rowHeight
            let amount = text(row)
            let room = width - ChartText.width(amount, 13) - 24
            return """
                \(ChartText.svg(ChartText.fitted(row.name, within: room, 13), 0, y + 14, "name"))\
                \(ChartText.svg(amount, width, y + 14, "name soft", anchor: "end"))\
                <path \(ChartStyle.stroke(0)) d="M\(x(row.low).written) \((y + 28).written)H\(x(row.high).written)\
                M\(x(row.low).written) \((y + 23).written)v10M\(x(row.high).written) \((y + 23).written)v10"/>\
                <circle class="f0" cx="\(x(row.middle).written)" cy="\((y + 28).written)" r="4.5"/>
                """
        }
        return ChartDrawing(svg: ticks.joined() + marks.joined(), height: bottom + 24)
    }

    private func text(_ row: Row) -> String {
        "\((row.middle * 100).written)% (\((row.low * 100).written)–\((row.high * 100).written)%)"
    }

    package func summary(_ words: ChartWords) -> String {
        let parts = rows.map { "\($0.name) \(text($0))" }
        return words.sentence(
            (title.isEmpty ? [] : [title]) + [rows.isEmpty ? words.nothing : words.list(parts)])
    }

    package func table(_ words: ChartWords) -> ChartTable {
        ChartTable(caption: title, head: ["", words.share], rows: rows.map { [$0.name, text($0)] })
    }
}
