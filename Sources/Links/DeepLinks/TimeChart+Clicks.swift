import Charts
import Foundation
import Visits

extension TimeChart {
    /// The clicks of a link by day and platform.
    /// - Parameter lastDay: a day such as `2026-11-24`.
    init(clicksOf statistics: StatisticsResponse, lastDay: String, name: (Click.Platform) -> String) {
        let style = Date.ISO8601FormatStyle().year().month().day()
        let last = (try? Date(lastDay, strategy: style)) ?? .distantPast
        let days = (0..<statistics.days).reversed().map { age in
            last.addingTimeInterval(-86_400 * Double(age)).formatted(style)
        }
        let places = Dictionary(uniqueKeysWithValues: days.enumerated().map { ($1, $0) })
        let series = Click.Platform.allCases.enumerated().map { look, platform in
            var counts = [Int](repeating: 0, count: days.count)
            for count in statistics.counts
            where count.event == Click.Statistic.click.rawValue && count.platform == platform {
                if let place = places[count.day] { counts[place] += count.count }
            }
            return Series(name(platform), counts, look: platform == .other ? Series.others : look)
        }
        self.init(times: days, unit: .day, series: series)
    }
}
