import Foundation

/// The clicks of a link as bars, one for each day, stacked by platform.
struct ClickChart: Sendable {
    struct Day: Sendable {
        let day: String
        var counts: [Click.Platform: Int] = [:]

        var total: Int { counts.values.reduce(0, +) }
    }

    /// The days, oldest first.
    let days: [Day]
    /// The end of the scale: an even number that no day exceeds.
    let top: Int

    /// The width of a day. A bar takes nine tenths of it.
    static let dayWidth = 10
    static let height = 1000

    /// - Parameter lastDay: a day such as `2026-11-24`.
    init(_ statistics: StatisticsResponse, lastDay: String) {
        let style = Date.ISO8601FormatStyle().year().month().day()
        let last = (try? Date(lastDay, strategy: style)) ?? .distantPast
        var days = (0..<statistics.days).reversed().map { age in
            Day(day: last.addingTimeInterval(-86_400 * Double(age)).formatted(style))
        }
        let index = Dictionary(uniqueKeysWithValues: days.enumerated().map { ($1.day, $0) })
        for count in statistics.counts where count.event == Click.Statistic.click.rawValue {
            guard let place = index[count.day], let platform = count.platform else { continue }
            days[place].counts[platform, default: 0] += count.count
        }
        self.days = days
        top = Self.scale(days.map(\.total).max() ?? 0)
    }

    /// Returns the end of a scale: 2, 4, 6, 8 or 10 times a power of ten.
    private static func scale(_ most: Int) -> Int {
        var unit = 1
        while most > 10 * unit { unit *= 10 }
        return [2, 4, 6, 8, 10].map { $0 * unit }.first { $0 >= most } ?? 10 * unit
    }

    /// Returns the bars of a platform as the `d` of an SVG path.
    func path(of platform: Click.Platform) -> String {
        let below = Click.Platform.allCases.prefix { $0 != platform }
        return days.enumerated().map { number, day in
            guard let count = day.counts[platform] else { return "" }
            let under = below.reduce(0) { $0 + (day.counts[$1] ?? 0) }
            let (bottom, top) = (y(of: under), y(of: under + count))
            return "M\(number * Self.dayWidth) \(top)h9v\(bottom - top)h-9z"
        }
        .joined()
    }

    private func y(of count: Int) -> Int { Self.height - count * Self.height / top }
}
