import Charts
import Counts
import Foundation
import Web

/// The numbers of a measure: series over the same times.
struct MeasuredNumbers: Equatable, Sendable {
    /// A series of numbers, one for each time.
    struct Series: Equatable, Sendable {
        /// The value of the dimension. Nil if the numbers do not divide.
        var value: String?
        /// Nil where it is hidden (`ToldCounts`) or nobody knows, as of a level before the first look.
        var counts: [Int?]
        /// All told times together, or what was last. Nil if no time is told, or if they do not add up.
        var total: Int?
    }

    /// The first days of the times, oldest first.
    let times: [String]
    /// All together. Nothing of it is told if the values do not add up.
    let total: Series
    /// By the dimension that is asked for, most frequent first. Empty if it is by nothing.
    let series: [Series]
    /// What has another value than those, or one that is hidden. Nil if it is by nothing, or if the values do
    /// not add up.
    let others: Series?
    /// What has no value. Nil if it is by nothing, or if the values do not add up.
    let unknown: Series?
    /// Of what the total is a share. Nil if it is of nothing.
    var base: Base?
    /// How many links with the tag that is asked for are in no number. Nil if none is asked for.
    var linksLeftOut: Int?
    /// From which of the times on something may still be counted, as on today. Nil if all are over.
    let unfinished: Int?
    /// What a sum of different ones is, and why they have no total. Nil if it is what one expects.
    let reason: String?
    /// How long it took. Nil if it takes no time, or nothing was counted.
    let quantiles: Quantiles?

    /// Of what the total is a share.
    struct Base: Equatable, Sendable {
        let measure: String
        /// With the same filter. Nil if there is no share.
        let series: Series?
        /// Why there is no share. Nil if there is one.
        var reason: String?
    }

    /// The seconds that half of it took at most, and nine tenths.
    struct Quantiles: Equatable, Codable, Sendable {
        let median: Int
        let p90: Int
        /// Of each time. Nil where nothing was counted.
        let medians: [Int?]
        let p90s: [Int?]
    }

    /// - Parameters:
    ///   - sums: by their days.
    ///   - least: numbers by a place or a page that are lower are not told.
    init(_ sums: [(day: String, sum: DaySum)], _ request: NumbersRequest, of measure: Measure, least: Int) {
        let times = Self.times(request.span.days, request.per)
        let isLevel = measure.counting == .levels
        let found = Self.placed(sums, times, request.per, isLevel: isLevel)
        func series(_ value: String?, _ counts: [Int?]) -> Series {
            let all = counts.compactMap(\.self)
            guard !all.isEmpty, measure.distinct == nil || times.count == 1 else {
                return Series(value: value, counts: counts)
            }
            return Series(value: value, counts: counts, total: isLevel ? all.last : all.reduce(0, +))
        }
        func known(by dimension: CountDimension) -> [ToldCounts?] {
            found.map { sum in
                sum == nil && isLevel ? nil : ToldCounts(sum?.parts ?? .init(), by: dimension, least: least)
            }
        }
        self.times = times
        unfinished = Self.firstOpen(of: times, request)
        reason = measure.distinct.flatMap { Self.reason($0, request.per, times.count) }
        quantiles = measure.counting == .durations ? Quantiles(found.map { $0?.parts }) : nil
        let counts = found.map { sum in sum.map { Int($0.count) } ?? (isLevel ? nil : 0) }
        guard let dimension = request.by else {
            total =
                request.only.map { only in
                    series(only.value, known(by: only.dimension).map { $0?[only.value] })
                } ?? series(nil, counts)
            (self.series, others, unknown) = ([], nil, nil)
            return
        }
        let told = known(by: dimension)
        // Over years there may be very many values, so only those that are shown become series.
        let totals = told.reduce(into: [String: Int64]()) { totals, counts in
            if isLevel, counts != nil { totals = totals.mapValues { _ in 0 } }
            totals.merge(counts?.all ?? [:], uniquingKeysWith: +)
        }
        let shown = totals.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(request.limit)
            .map { value, _ in series(value, told.map { $0?[value] }) }
        self.series = shown
        guard measure.addsUp else {
            (total, others, unknown) = (series(nil, times.map { _ in nil }), nil, nil)
            return
        }
        total = series(nil, counts)
        let valued = told.map { $0?.valued }
        let rest = times.indices.map { time in
            valued[time].map { valued in shown.reduce(valued) { $0 - ($1.counts[time] ?? 0) } }
        }
        others = series(nil, rest)
        unknown = series(nil, zip(counts, valued).map { count, valued in count.map { $0 - (valued ?? 0) } })
    }

    private static func firstOpen(of times: [String], _ request: NumbersRequest) -> Int? {
        let open = time(of: request.firstOpenDay, request.per)
        return times.firstIndex { $0 >= open }
    }

    private static func reason(_ unit: ChartUnit, _ per: ChartUnit, _ times: Int) -> String? {
        let sum =
            per == unit
            ? nil
            : "a \(per.rawValue) is the sum of its \(unit.rawValue)s: whoever came on several counts on each"
        let none = "there is no total: whoever came in several \(per.rawValue)s counts in each"
        let parts = [sum, times > 1 ? none : nil].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    /// Returns the sum of each time, oldest first. Nil if there is none.
    /// - Parameter isLevel: whether a time has the last of its days.
    private static func placed(
        _ sums: [(day: String, sum: DaySum)], _ times: [String], _ per: ChartUnit, isLevel: Bool
    ) -> [(count: Int64, parts: CountParts)?] {
        let places = Dictionary(uniqueKeysWithValues: times.enumerated().map { ($1, $0) })
        var found = [(count: Int64, parts: CountParts)?](repeating: nil, count: times.count)
        for (day, sum) in sums {
            guard let place = places[time(of: day, per)] else { continue }
            if isLevel || found[place] == nil {
                found[place] = (sum.count, sum.parts)
            } else {
                found[place]?.count += sum.count
                found[place]?.parts.merge(sum.parts)
            }
        }
        return found
    }

    private static func times(_ days: [String], _ per: ChartUnit) -> [String] {
        days.reduce(into: []) { times, day in
            let time = time(of: day, per)
            if times.last != time { times.append(time) }
        }
    }

    /// Returns the first day of the time to which a day belongs.
    private static func time(of day: String, _ per: ChartUnit) -> String {
        switch per {
        case .day: return day
        case .month: return "\(day.prefix(7))-01"
        case .week:
            guard let date = Date(rfc3339: "\(day)T00:00:00Z") else { return day }
            let monday = date.addingTimeInterval(-86_400 * Double(DaySpan.days(since: date)))
            return DaySpan.day(of: monday, in: .gmt)
        }
    }
}

extension MeasuredNumbers {
    /// The share of the base in each time. Nil where it is hidden, or where there is nothing to share.
    var shares: [Double?] {
        times.indices.map { time in
            guard let count = total.counts[time], let whole = base?.series?.counts[time] else { return nil }
            return JSON.share(count, of: whole)
        }
    }

    /// The share of all times together. Nil if one of them is hidden.
    var share: Double? {
        guard let whole = base?.series, !(total.counts + whole.counts).contains(nil),
            let count = total.total, let all = whole.total
        else { return nil }
        return JSON.share(count, of: all)
    }
}

extension MeasuredNumbers.Quantiles {
    /// Nil if nothing was counted.
    fileprivate init?(_ times: [CountParts?]) {
        func quantile(_ share: Double, _ parts: CountParts?) -> Int? {
            CountDuration.quantile(share, of: parts?.values[.seconds] ?? [:])
        }
        var all = CountParts()
        for parts in times { parts.map { all.merge($0) } }
        guard let median = quantile(0.5, all), let p90 = quantile(0.9, all) else { return nil }
        (self.median, self.p90) = (median, p90)
        (medians, p90s) = (times.map { quantile(0.5, $0) }, times.map { quantile(0.9, $0) })
    }
}
