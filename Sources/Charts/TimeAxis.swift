/// Which times of a chart get a text below them, and which text.
struct TimeAxis: Equatable {
    struct Label: Equatable {
        let time: Int
        let text: String
    }

    let labels: [Label]

    /// - Parameter width: of all times together.
    init(_ times: [String], _ unit: ChartUnit, width: Double, _ words: ChartWords) {
        let days = times.map(ChartDay.init)
        let span = times.count * (unit == .day ? 1 : unit == .week ? 7 : 30)
        guard unit == .month || span > 92 else {
            labels = Self.days(times, width, words)
            return
        }
        let starts = times.indices.filter { time in
            guard let day = days[time] else { return false }
            guard time > 0 else { return unit == .month || day.day <= 7 }
            return day.months != days[time - 1]?.months
        }
        let room = width / (ChartText.width(words.month(.longest, withYear: true), 12) + 14)
        let step = [1, 2, 3, 6, 12, 24, 60, 120].first { Double(starts.count / $0) <= room } ?? 1200
        let shown = starts.filter { (days[$0]?.months ?? 0) % step == 0 }
        // Without a place for a year at such a step, the first time tells it.
        let chosen = shown.isEmpty ? Array(starts.prefix(1)) : shown
        labels = chosen.enumerated().compactMap { number, time in
            days[time].map { day in
                let isFirst = number == 0 || day.month == 1
                return Label(
                    time: time,
                    text: step >= 12 ? words.year(day) : words.month(day, withYear: isFirst))
            }
        }
    }

    /// Labels days or weeks, the last one among them.
    private static func days(_ times: [String], _ width: Double, _ words: ChartWords) -> [Label] {
        let longest = times.map { ChartText.width(words.tick($0), 12) }.max() ?? 0
        let room = max(1, width / (longest + 14))
        let step = [1, 2, 3, 7, 14, 28].first { Double((times.count - 1) / $0 + 1) <= room } ?? 56
        return times.indices.filter { (times.count - 1 - $0) % step == 0 }
            .map { Label(time: $0, text: words.tick(times[$0])) }
    }
}

extension ChartDay {
    /// A day whose month is long as a text.
    fileprivate static let longest = ChartDay(year: 2000, month: 12, day: 31)

    private init(year: Int, month: Int, day: Int) { (self.year, self.month, self.day) = (year, month, day) }
}
