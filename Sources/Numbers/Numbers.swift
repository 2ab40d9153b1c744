import Charts
import Counts
import Foundation
import Web

/// The numbers of a measure: series over the same times.
struct Numbers: Equatable, Sendable {
    /// A series of numbers, one for each time.
    struct Series: Equatable, Sendable {
        /// The value of the dimension. Nil if the numbers do not divide.
        var value: String?
        var counts: [Int]
        /// All times together, or what was last.
        var total: Int
    }

    /// The first days of the times, oldest first.
    let times: [String]
    /// All together.
    let total: Series
    /// By the dimension that is asked for, most frequent first. Empty if it is by nothing.
    let series: [Series]
    /// What has another value than those. Nil if it is by nothing.
    let others: Series?
    /// What has no value. Nil if it is by nothing.
    let unknown: Series?
    /// Of what the total is a share. Nil if it is of nothing.
    var base: Series?
    /// The seconds that half of it took at most, and nine tenths. Nil if it takes no time.
    let quantiles: Quantiles?

    struct Quantiles: Equatable, Encodable, Sendable {
        let median: Int
        let p90: Int
    }

    /// - Parameters:
    ///   - sums: by their days.
    ///   - least: numbers by a place or a page that are lower are not told.
    init(_ sums: [(day: String, sum: DaySum)], _ request: NumbersRequest, of measure: Measure, least: Int) {
        quantiles = measure.counting == .durations ? Quantiles(sums.map(\.sum)) : nil
        let times = Self.times(request.span.days, request.per)
        let places = Dictionary(uniqueKeysWithValues: times.enumerated().map { ($1, $0) })
        let placed = sums.compactMap { day, sum in places[Self.time(of: day, request.per)].map { ($0, sum) } }
        let isLevel = measure.counting == .levels
        func series(_ value: String?, _ counts: [Int]) -> Series {
            let last = placed.last.map { counts[$0.0] } ?? 0
            return Series(value: value, counts: counts, total: isLevel ? last : counts.reduce(0, +))
        }
        func series(_ value: String?, _ count: (DaySum) -> Int64) -> Series {
            var counts = [Int](repeating: 0, count: times.count)
            for (place, sum) in placed {
                counts[place] = (isLevel ? 0 : counts[place]) + Int(count(sum))
            }
            return series(value, counts)
        }
        func known(_ dimension: CountDimension, _ value: String) -> Series {
            let found = series(value) { $0.parts.values[dimension]?[value] ?? 0 }
            let isTold = !dimension.isHidden || found.total >= least
            return isTold ? found : series(value) { _ in 0 }
        }
        self.times = times
        guard let dimension = request.by else {
            total = request.only.map { known($0.dimension, $0.value) } ?? series(nil, \.count)
            (self.series, others, unknown) = ([], nil, nil)
            return
        }
        total = series(nil, \.count)
        // Over years there may be very many values, so only those that are shown become series.
        var totals: [String: Int64] = [:]
        for (_, sum) in sums { totals.merge(sum.parts.values[dimension] ?? [:], uniquingKeysWith: +) }
        let told = totals.filter { !dimension.isHidden || $0.value >= least }
            .sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        let shown = told.prefix(request.limit).map { known(dimension, $0.key) }
        self.series = shown
        let valued = series(nil) { sum in
            (sum.parts.values[dimension]?.values.reduce(0, +) ?? 0) + (sum.parts.others[dimension] ?? 0)
        }
        let rest = times.indices.map { time in
            valued.counts[time] - shown.reduce(0) { $0 + $1.counts[time] }
        }
        others = series(nil, rest)
        unknown = series(nil, zip(total.counts, valued.counts).map(-))
    }

    private static func times(_ days: [String], _ per: ChartUnit) -> [String] {
        days.reduce(into: []) { times, day in
            let time = time(of: day, per)
            if times.last != time { times.append(time) }
        }
    }

    /// Returns the first day of the time to which a day belongs. Weeks begin on Monday (ISO 8601).
    private static func time(of day: String, _ per: ChartUnit) -> String {
        switch per {
        case .day: return day
        case .month: return "\(day.prefix(7))-01"
        case .week:
            guard let date = Date(rfc3339: "\(day)T00:00:00Z") else { return day }
            // 1 January 1970 was a Thursday.
            let sinceMonday = (Int(date.timeIntervalSince1970) / 86_400 + 3) % 7
            return String(JSON.timestamp(date.addingTimeInterval(-86_400 * Double(sinceMonday))).prefix(10))
        }
    }
}

extension CountDimension {
    /// Whether low numbers by it may tell of somebody (`KITH_NUMBERS_LEAST`).
    var isHidden: Bool { self == .country || self == .referrer }
}

extension Numbers.Quantiles {
    /// Nil if nothing was counted.
    fileprivate init?(_ sums: [DaySum]) {
        var counts: [String: Int64] = [:]
        for sum in sums { counts.merge(sum.parts.values[.seconds] ?? [:], uniquingKeysWith: +) }
        guard let median = CountDuration.quantile(0.5, of: counts),
            let p90 = CountDuration.quantile(0.9, of: counts)
        else { return nil }
        (self.median, self.p90) = (median, p90)
    }
}
