import Web

/// The drawing of counts over time.
extension TimeChart {
    /// Where things stand.
    private struct Frame {
        var left = 0.0, right = 0.0, top = 18.0, height = 0.0
        var places = 1
        var scale = ChartScale.shares

        var bottom: Double { top + height }
        var place: Double { (right - left) / Double(places) }

        func x(_ time: Int) -> Double { left + place * (Double(time) + 0.5) }
        func y(_ value: Double) -> Double { bottom - value / scale.top * height }
    }

    /// The narrowest place that has room for a bar.
    static let narrowestBar = 5.0

    package func drawing(width: Double, _ words: ChartWords) -> ChartDrawing { drawn.draw(width, words) }

    private func draw(_ width: Double, _ words: ChartWords) -> ChartDrawing {
        var frame = Frame()
        frame.height = width < 480 ? 150 : 210
        frame.places = max(1, times.count)
        let totals = totals
        if form == .stacked { frame.scale = ChartScale(most: Double(totals.max() ?? 0)) }
        let ticks = frame.scale.ticks.map { value in
            (value: value, text: form == .stacked ? words.short(value) : "\(Int(value * 100))%")
        }
        frame.left = (ticks.map { ChartText.width($0.text, 12) }.max() ?? 0) + 8
        let isBeside = width >= 560 && series.count <= Int(frame.height / Self.lineHeight)
        let entries = entries(words, within: isBeside ? 130 : width - 90)
        let longest = entries.map { $0.width }.max() ?? 0
        let names = isBeside && !entries.isEmpty ? longest + 30 : 0
        frame.right = width - names
        var svg = axes(frame, ticks, width: width, words)
        let isEmpty =
            if case .ratio(let wholes) = form { wholes.allSatisfy { $0 == 0 } } else {
                totals.allSatisfy { $0 == 0 }
            }
        var height = frame.bottom + 22
        if isEmpty {
            let middle = (frame.left + frame.right) / 2
            svg += ChartText.svg(
                words.nothing, middle, frame.top + frame.height / 2, "name soft", anchor: "middle")
        } else {
            if case .ratio(let wholes) = form {
                svg += lines(frame, wholes)
            } else {
                svg += stack(frame, totals) + peak(frame, totals, words)
            }
            if isBeside {
                svg += beside(frame, entries)
            } else if !entries.isEmpty {
                let below = ChartLegend.drawing(entries.map { ($0.look, $0.text) }, width: width)
                svg += "<g transform=\"translate(0 \((height + 6).written))\">\(below.svg)</g>"
                height += 6 + below.height
            }
        }
        return ChartDrawing(svg: svg + marked(frame, width), height: height)
    }

    private func axes(
        _ frame: Frame, _ ticks: [(value: Double, text: String)], width: Double, _ words: ChartWords
    ) -> String {
        let lines = ticks.map { value, text in
            let y = frame.y(value)
            return """
                <path class="\(value == 0 ? "axis" : "line")" d="M\(frame.left.written) \(y.written)H\(frame.right.written)"/>\
                \(ChartText.svg(text, frame.left - 8, y + 4, anchor: "end"))
                """
        }
        let days = TimeAxis(times, unit, width: frame.right - frame.left, words).labels.map { label in
            let half = ChartText.width(label.text, 12) / 2
            let x = min(max(frame.x(label.time), half), width - half)
            return ChartText.svg(label.text, x, frame.bottom + 17, anchor: "middle")
        }
        return lines.joined() + days.joined()
    }

    /// Bars or areas, each series upon those before it.
    private func stack(_ frame: Frame, _ totals: [Int]) -> String {
        var below = [Double](repeating: 0, count: times.count)
        return series.map { series in
            let above = times.indices.map { time in
                let whole = form == .shares ? Double(max(1, totals[time])) : 1
                return below[time] + Double(series.counts[time] ?? 0) / whole
            }
            defer { below = above }
            guard series.total > 0 else { return "" }
            let isBars = frame.place >= Self.narrowestBar || times.count == 1
            let path = isBars ? bars(frame, below, above) : area(frame, below, above, series.known)
            // A line of the ground's colour parts bars. It would hide what is narrower.
            let gap = self.series.count > 1 && isBars ? " class=\"gap\"" : ""
            let line =
                self.series.count == 1 && !isBars
                ? "<path \(ChartStyle.stroke(series.look)) d=\"\(outline(frame, above, series.known))\"/>"
                : ""
            let fill =
                line.isEmpty ? ChartStyle.fill(series.look) + gap : "class=\"area f\(series.look)\""
            return "<path \(fill) d=\"\(path)\"><title>\(ChartText.escape(series.name))</title></path>\(line)"
        }.joined()
    }

    private func bars(_ frame: Frame, _ below: [Double], _ above: [Double]) -> String {
        let width = min(frame.place - (frame.place > 8 ? 2 : 1), 56)
        return times.indices.filter { above[$0] > below[$0] }.map { time in
            let (low, high) = (frame.y(below[time]), frame.y(above[time]))
            // Whatever is there is seen.
            let height = max(low - high, 0.8)
            return
                "M\((frame.x(time) - width / 2).written) \((low - height).written)h\(width.written)v\(height.written)h-\(width.written)z"
        }.joined()
    }

    private func outline(_ frame: Frame, _ values: [Double], _ known: Range<Int>) -> String {
        corners(frame, values, known).enumerated().map { "\($0 == 0 ? "M" : "L")\($1)" }.joined()
    }

    private func area(_ frame: Frame, _ below: [Double], _ above: [Double], _ known: Range<Int>) -> String {
        outline(frame, above, known) + corners(frame, below, known).reversed().map { "L\($0)" }.joined()
            + "z"
    }

    /// The points of a line, without those that lie between two as high.
    private func corners(_ frame: Frame, _ values: [Double], _ known: Range<Int>) -> [String] {
        let heights = values.map { frame.y($0).written }
        let shown = known.filter { time in
            guard time > known.lowerBound, time + 1 < known.upperBound else { return true }
            return heights[time - 1] != heights[time] || heights[time + 1] != heights[time]
        }
        return shown.map { "\(frame.x($0).written) \(heights[$0])" }
    }

    /// Lines of shares, with gaps where there was nothing to share.
    private func lines(_ frame: Frame, _ wholes: [Int]) -> String {
        series.map { series in
            var (path, dots, isGap) = ("", "", true)
            for time in times.indices {
                guard wholes[time] > 0 else {
                    isGap = true
                    continue
                }
                let (x, y) = (
                    frame.x(time), frame.y(Double(series.counts[time] ?? 0) / Double(wholes[time]))
                )
                path += "\(isGap ? "M" : "L")\(x.written) \(y.written)"
                isGap = false
                if times.count <= 62 {
                    dots +=
                        "<circle class=\"f\(series.look)\" cx=\"\(x.written)\" cy=\"\(y.written)\" r=\"3\"/>"
                }
            }
            return "<path \(ChartStyle.stroke(series.look)) d=\"\(path)\"/>\(dots)"
        }.joined()
    }

    /// Writes the largest number above its time.
    private func peak(_ frame: Frame, _ totals: [Int], _ words: ChartWords) -> String {
        guard form == .stacked, let most = totals.max(), let time = totals.firstIndex(of: most) else {
            return ""
        }
        let half = ChartText.width(most.grouped, 12) / 2
        let x = min(max(frame.x(time), frame.left + half), frame.right - half)
        return ChartText.svg(most.grouped, x, frame.y(Double(most)) - 6, "peak", anchor: "middle")
    }

    private func marked(_ frame: Frame, _ width: Double) -> String {
        guard let mark, times.indices.contains(mark.time) else { return "" }
        let x = frame.x(mark.time) - frame.place / 2
        // The word stands left of the mark if there is no room to its right.
        let isRight = x + 4 + ChartText.width(mark.word, 12) <= frame.right
        return """
            <path class="mark" d="M\(x.written) 4V\(frame.bottom.written)"/>\
            \(ChartText.svg(mark.word, isRight ? x + 4 : x - 4, 12, anchor: isRight ? "start" : "end"))
            """
    }
}

/// The names of the series.
extension TimeChart {
    private static let lineHeight = 19.0

    private struct Entry {
        let series: Int
        let look: Int
        let text: String

        var width: Double { ChartText.width(text, 13) }
    }

    /// The series that have anything, with their shares of all. One alone needs no name.
    private func entries(_ words: ChartWords, within room: Double) -> [Entry] {
        guard series.count > 1 else { return [] }
        let total = series.reduce(0) { Self.sum($0, $1.total) }
        return series.indices.filter { series[$0].total > 0 }.map { place in
            let name = ChartText.fitted(series[place].name, within: room, 13)
            let share = words.share(series[place].total, of: total)
            return Entry(series: place, look: series[place].look, text: "\(name) \(share)")
        }
    }

    /// Writes each name beside the end of its series, and moves names apart that would run into one another.
    private func beside(_ frame: Frame, _ entries: [Entry]) -> String {
        let last = times.count - 1
        let whole = form == .shares ? Double(max(1, totals[last])) : 1
        var below = 0.0
        var middles = series.map { series in
            let count = Double(series.counts[last] ?? 0) / whole
            defer { below += count }
            return frame.y(below + count / 2)
        }
        middles = entries.map { middles[$0.series] }
        let places = ChartLegend.spread(
            middles, apart: Self.lineHeight, from: frame.top + 8, to: frame.bottom - 8)
        return zip(entries, places).map { entry, y in
            ChartLegend.entry(entry.look, entry.text, frame.right + 12, y + 4)
        }.joined()
    }
}
