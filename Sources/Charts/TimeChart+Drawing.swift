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
        frame.scale = scale
        let ticks = ticks(words)
        frame.left = (ticks.map { ChartText.width($0.text, 12) }.max() ?? 0) + 8
        let isBeside = width >= 560 && series.count <= Int(frame.height / Self.lineHeight)
        let entries = entries(words, within: isBeside ? 130 : width - 90)
        let longest = entries.map { $0.width }.max() ?? 0
        let names = isBeside && !entries.isEmpty ? longest + 30 : 0
        frame.right = width - names
        var svg = axes(frame, ticks, width: width, words)
        var height = frame.bottom + 22
        if isEmpty {
            let middle = (frame.left + frame.right) / 2
            svg += ChartText.svg(
                words.nothing, middle, frame.top + frame.height / 2, "name soft", anchor: "middle")
        } else {
            svg += isLines ? lines(frame) : stack(frame, totals) + veil(frame) + peak(frame, totals, words)
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

    private var isEmpty: Bool {
        if isLines {
            return !times.indices.contains { time in series.contains { value(of: $0, time) != nil } }
        }
        return form == .levels ? knownTotals.allSatisfy { $0 == nil } : totals.allSatisfy { $0 == 0 }
    }

    private var scale: ChartScale {
        switch form {
        case .stacked, .levels: ChartScale(most: Double(totals.max() ?? 0))
        case .shares, .ratio: .shares
        case .rate: ChartScale(mostShare: highest)
        case .durations: ChartScale(longest: Int(highest))
        }
    }

    /// The highest point of lines.
    private var highest: Double {
        series.flatMap { one in times.indices.compactMap { value(of: one, $0) } }.max() ?? 0
    }

    private func ticks(_ words: ChartWords) -> [(value: Double, text: String)] {
        let unit = ChartDuration(fitting: form == .durations ? Int(highest) : 0)
        return scale.ticks.map { value in
            let text =
                switch form {
                case .stacked, .levels: words.short(value)
                case .shares, .ratio, .rate: "\(Int((value * 100).rounded()))%"
                case .durations: words.duration(Int(value), in: unit)
                }
            return (value, text)
        }
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
            guard series.total > 0 || form == .levels else { return "" }
            let isBars = form != .levels && frame.place >= Self.narrowestBar || times.count == 1
            let runs = runs(of: series, totals)
            let path = isBars ? bars(frame, below, above) : area(frame, below, above, runs)
            // A line of the ground's colour parts bars. It would hide what is narrower.
            let gap = self.series.count > 1 && isBars ? " class=\"gap\"" : ""
            let line =
                self.series.count == 1 && !isBars
                ? "<path \(ChartStyle.stroke(series.look)) d=\"\(runs.map { outline(frame, above, $0) }.joined())\"/>"
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

    /// The times of which something is known, in a row each.
    private func runs(of series: Series, _ totals: [Int]) -> [Range<Int>] {
        times.indices.reduce(into: []) { runs, time in
            guard series.counts[time] != nil, form != .shares || totals[time] > 0 else { return }
            if let last = runs.last, last.upperBound == time {
                runs[runs.count - 1] = last.lowerBound..<time + 1
            } else {
                runs.append(time..<time + 1)
            }
        }
    }

    private func outline(_ frame: Frame, _ values: [Double], _ run: Range<Int>) -> String {
        corners(frame, values, run).enumerated().map { "\($0 == 0 ? "M" : "L")\($1)" }.joined()
    }

    private func area(_ frame: Frame, _ below: [Double], _ above: [Double], _ runs: [Range<Int>]) -> String {
        runs.map { run in
            outline(frame, above, run) + corners(frame, below, run).reversed().map { "L\($0)" }.joined() + "z"
        }.joined()
    }

    /// The points of a line, without those that lie between two as high. One time alone is as wide as its
    /// place.
    private func corners(_ frame: Frame, _ values: [Double], _ run: Range<Int>) -> [String] {
        let heights = values[run].map { frame.y($0).written }
        guard heights.count > 1 else {
            let (x, half) = (frame.x(run.lowerBound), frame.place / 2)
            return heights.flatMap { ["\((x - half).written) \($0)", "\((x + half).written) \($0)"] }
        }
        let shown = heights.indices.filter { place in
            guard place > 0, place + 1 < heights.count else { return true }
            return heights[place - 1] != heights[place] || heights[place + 1] != heights[place]
        }
        return shown.map { "\(frame.x(run.lowerBound + $0).written) \(heights[$0])" }
    }

    private func lines(_ frame: Frame) -> String {
        series.map { series in
            let points = times.indices.map { time in
                value(of: series, time).map { (x: frame.x(time), y: frame.y($0)) }
            }
            return ChartLine.svg(points, look: series.look, hasDots: times.count <= 62, name: series.name)
        }.joined()
    }

    /// Makes the times lighter that are not over.
    private func veil(_ frame: Frame) -> String {
        guard let unfinished, times.indices.contains(unfinished) else { return "" }
        let x = frame.x(unfinished) - frame.place / 2
        return
            "<rect class=\"ground\" opacity=\".5\" x=\"\(x.written)\" y=\"\(frame.top.written)\" width=\"\((frame.right - x).written)\" height=\"\(frame.height.written)\"/>"
    }

    /// Writes the largest number above its time.
    private func peak(_ frame: Frame, _ totals: [Int], _ words: ChartWords) -> String {
        guard form == .stacked || form == .levels, let most = totals.max(),
            let time = totals.firstIndex(of: most)
        else {
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
        let total = series.reduce(0) { Self.sum($0, amount(of: $1)) }
        return series.indices.filter { series[$0].total > 0 }.map { place in
            let name = ChartText.fitted(series[place].name, within: room, 13)
            let share = isLines ? "" : " \(words.share(amount(of: series[place]), of: total))"
            return Entry(series: place, look: series[place].look, text: name + share)
        }
    }

    /// Writes each name beside the end of its series, and moves names apart that would run into one another.
    private func beside(_ frame: Frame, _ entries: [Entry]) -> String {
        let totals = knownTotals
        let last = totals.lastIndex { form == .shares ? $0 ?? 0 > 0 : $0 != nil } ?? 0
        let whole = form == .shares ? Double(max(1, totals[last] ?? 0)) : 1
        var below = 0.0
        var middles = series.map { series in
            if isLines { return frame.y(value(of: series, last) ?? 0) }
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
