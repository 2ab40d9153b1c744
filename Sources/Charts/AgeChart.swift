/// Shares by day, each from a first day of its own: lines that are laid over each other.
package struct AgeChart: Chart {
    package struct Series: Sendable {
        let name: String
        /// One for each day, the first day's first. There is a gap where the whole is zero.
        let parts: [(count: Int, whole: Int)]
        let look: Int
        /// What began on some of the days.
        let marks: [(day: Int, word: String)]

        package init(
            _ name: String, _ parts: [(count: Int, whole: Int)], look: Int, marks: [(day: Int, word: String)]
        ) {
            (self.name, self.parts, self.look) = (name, parts, ChartStyle.look(look))
            self.marks = marks.filter { parts.indices.contains($0.day) }
        }

        /// The share of a day or, in a gap, the one before it.
        func share(_ day: Int) -> Double {
            let known = parts[...day].last { $0.whole > 0 } ?? (0, 1)
            return min(1, Double(max(0, known.count)) / Double(known.whole))
        }

        /// The last day that has a share.
        var last: Int? { parts.indices.last { parts[$0].whole > 0 } }
    }

    package var title: String
    package let series: [Series]
    /// Of how many series there are looks.
    package static let mostSeries = ChartStyle.looks

    package init(title: String = "", series: [Series]) {
        (self.title, self.series) = (title, Array(series.prefix(Self.mostSeries)))
    }

    private var drawn: [(series: Series, last: Int)] {
        series.compactMap { one in one.last.map { (one, $0) } }
    }

    /// The last day that is drawn: a mark may stand in a gap at the end.
    private var reach: Int {
        drawn.map { one, last in one.marks.map(\.day).reduce(last, max) }.max() ?? 0
    }

    package func summary(_ words: ChartWords) -> String {
        let parts = drawn.map { one, last in
            "\(one.name) \(words.share(one.parts[last].count, of: one.parts[last].whole)) (\(words.after(last)))"
        }
        return words.sentence(
            (title.isEmpty ? [] : [title]) + [parts.isEmpty ? words.nothing : words.list(parts)])
    }

    package func table(_ words: ChartWords) -> ChartTable {
        let days = 0..<(drawn.map { $0.last + 1 }.max() ?? 0)
        let rows = days.map { day in
            [words.after(day)]
                + series.map { one in
                    guard one.parts.indices.contains(day) else { return "–" }
                    return words.share(one.parts[day].count, of: one.parts[day].whole)
                }
        }
        return ChartTable(caption: title, head: [""] + series.map(\.name), rows: rows)
    }
}

/// The drawing.
extension AgeChart {
    /// Where things stand.
    private struct Frame {
        let left = 42.0, top = 18.0
        let right, height: Double
        /// The scale of the days.
        let scale: ChartScale

        var bottom: Double { top + height }

        func x(_ day: Int) -> Double { left + Double(day) / scale.top * (right - left) }
        func y(_ share: Double) -> Double { bottom - share * height }
    }

    package func drawing(width: Double, _ words: ChartWords) -> ChartDrawing {
        let isBeside = width >= 560
        let names = drawn.map { one, last in
            let share = words.share(one.parts[last].count, of: one.parts[last].whole)
            return (
                look: one.look,
                text: "\(ChartText.fitted(one.name, within: isBeside ? 110 : width - 90, 13)) \(share)"
            )
        }
        let longest = names.map { ChartText.width($0.text, 13) }.max() ?? 0
        let frame = Frame(
            right: isBeside && !names.isEmpty ? width - longest - 42 : width - 14,
            height: width < 480 ? 150 : 210,
            scale: ChartScale(most: Double(reach)))
        var (svg, height) = (axes(frame, words), frame.bottom + 22)
        if drawn.isEmpty {
            let middle = (frame.left + frame.right) / 2
            svg += ChartText.svg(
                words.nothing, middle, frame.top + frame.height / 2, "name soft", anchor: "middle")
        }
        svg += drawn.map { line($0.series, $0.last, frame) }.joined()
        svg += drawn.map { marks($0.series, frame) }.joined()
        if isBeside {
            svg += beside(frame, names)
        } else if !names.isEmpty {
            let below = ChartLegend.drawing(names, width: width)
            svg += "<g transform=\"translate(0 \((height + 6).written))\">\(below.svg)</g>"
            height += 6 + below.height
        }
        return ChartDrawing(svg: svg, height: height)
    }

    private func axes(_ frame: Frame, _ words: ChartWords) -> String {
        let shares = ChartScale.shares.ticks.map { share in
            let y = frame.y(share)
            return """
                <path class="\(share == 0 ? "axis" : "line")" d="M\(frame.left.written) \(y.written)H\(frame.right.written)"/>\
                \(ChartText.svg("\(Int(share * 100))%", frame.left - 8, y + 4, anchor: "end"))
                """
        }
        let days = frame.scale.ticks.map { day in
            ChartText.svg(words.after(Int(day)), frame.x(Int(day)), frame.bottom + 17, anchor: "middle")
        }
        return shares.joined() + days.joined()
    }

    /// A line to a dot, with gaps where there was nothing to share.
    private func line(_ series: Series, _ last: Int, _ frame: Frame) -> String {
        let points = series.parts.indices.map { day in
            series.parts[day].whole > 0 ? (x: frame.x(day), y: frame.y(series.share(day))) : nil
        }
        return ChartLine.svg(points, look: series.look, name: series.name)
            + ChartLine.dot(frame.x(last), frame.y(series.share(last)), series.look)
    }

    /// A ring on the line where something began, with its word above it.
    private func marks(_ series: Series, _ frame: Frame) -> String {
        series.marks.map { mark in
            let (x, y) = (frame.x(mark.day), frame.y(series.share(mark.day)))
            let word = ChartText.fitted(mark.word, within: 120, 12)
            let half = ChartText.width(word, 12) / 2
            let middle = max(frame.left + half, min(x, frame.right - half))
            return """
                <circle class="ground s\(series.look)" stroke-width="2" cx="\(x.written)" cy="\(y.written)" r="4.5"/>\
                \(ChartText.svg(word, middle, y - 9, "peak", anchor: "middle"))
                """
        }.joined()
    }

    /// Writes each name beside the end of its line, and moves names apart that would run into one another.
    private func beside(_ frame: Frame, _ names: [(look: Int, text: String)]) -> String {
        let ends = zip(drawn, names).map { (y: frame.y($0.series.share($0.last)), name: $1) }
            .sorted { $0.y > $1.y }
        let places = ChartLegend.spread(
            ends.map(\.y), apart: 19, from: frame.top + 8, to: frame.bottom - 8)
        return zip(ends, places).map { end, y in
            ChartLegend.entry(end.name.look, end.name.text, frame.right + 12, y + 4)
        }.joined()
    }
}
