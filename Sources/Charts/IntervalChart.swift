/// Shares that are estimated: each with the interval in which it likely is, but for those that have none.
package struct IntervalChart: Chart {
    package struct Row: Sendable {
        let name: String
        let middle: Double
        /// Nil if nothing says how exactly the share is known.
        let interval: ClosedRange<Double>?

        /// - Parameter middle: a part of 1, as are the bounds.
        package init(_ name: String, _ middle: Double, in bounds: (low: Double, high: Double)? = nil) {
            func bounded(_ value: Double) -> Double { value.isFinite ? min(max(0, value), 1) : 0 }
            (self.name, self.middle) = (name, bounded(middle))
            interval = bounds.map { bounded($0.low)...max(bounded($0.low), bounded($0.high)) }
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
        let scale = ChartScale(
            most: max(1, (rows.map { $0.interval?.upperBound ?? $0.middle }.max() ?? 0) * 1000))
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
                \(row.interval.map { bars($0, at: y, x) } ?? "")\
                <circle class="f0" cx="\(x(row.middle).written)" cy="\((y + 28).written)" r="4.5"/>
                """
        }
        return ChartDrawing(svg: ticks.joined() + marks.joined(), height: bottom + 24)
    }

    private func bars(_ interval: ClosedRange<Double>, at y: Double, _ x: (Double) -> Double) -> String {
        let (low, high) = (x(interval.lowerBound).written, x(interval.upperBound).written)
        return """
            <path \(ChartStyle.stroke(0)) d="M\(low) \((y + 28).written)H\(high)\
            M\(low) \((y + 23).written)v10M\(high) \((y + 23).written)v10"/>
            """
    }

    private func text(_ row: Row) -> String {
        let middle = "\((row.middle * 100).written)%"
        guard let interval = row.interval else { return middle }
        return "\(middle) (\((interval.lowerBound * 100).written)–\((interval.upperBound * 100).written)%)"
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
