import Charts
import Counts
import HTTPTypes
import Hummingbird
import NIOCore
import Web

/// What there are numbers of.
package struct MeasuresResponse: ResponseEncodable {
    let measures: [Measured]
    let funnels: [Funneled]
    /// What dimensions are called, by their names.
    let dimensions: [String: String]

    init(_ words: NumbersWords) {
        measures = Measure.all.map { Measured($0, words) }
        funnels = [Funneled(title: words.funnel, summary: words.meaningOfFunnel)]
        dimensions = Dictionary(
            uniqueKeysWithValues: CountDimension.allCases.map { ($0.rawValue, words.name(of: $0)) })
    }

    struct Measured: Encodable {
        let name: String
        let title: String
        let summary: String
        let by: [CountDimension]
        let filters: [String]
        /// Of which measure it is a share.
        let base: String?
        /// Of what length of time it counts the different ones.
        let distinct: String?

        init(_ measure: Measure, _ words: NumbersWords) {
            (title, summary) = (words.name(of: measure), words.meaning(of: measure))
            (name, by, base) = (measure.name, measure.dimensions, measure.base)
            distinct = measure.distinct?.rawValue
            filters = measure.dimensions.map(\.rawValue) + measure.filters
        }
    }

    /// Measures as steps, each a share of the one before.
    struct Funneled: Encodable {
        let name = Funnel.name
        let title: String
        let summary: String
        let filters = Funnel.dimensions.map(\.rawValue)
    }
}

/// The numbers of a measure.
struct NumbersResponse: ResponseCodable {
    let measure: String
    let from: String
    let to: String
    let timeZone: String
    let per: String
    let by: CountDimension?
    let times: [String]
    /// The first of the times that is not over.
    let unfinished: String?
    let distinct: String?
    let reason: String?
    let linksLeftOut: Int?
    let total: Int?
    let counts: [Int?]
    let series: [Series]?
    let others: Series?
    let unknown: Series?
    let base: Base?
    let quantiles: MeasuredNumbers.Quantiles?

    /// Of what the total is a share.
    struct Base: Codable {
        let measure: String
        let total: Int?
        let counts: [Int?]
        /// The share of all times together, and of each. Nil where the base is zero, or something is hidden.
        let share: Double?
        let shares: [Double?]
        /// Why there is no share at all.
        let reason: String?

        init?(_ numbers: MeasuredNumbers) {
            guard let base = numbers.base else { return nil }
            (measure, total) = (base.measure, base.series?.total)
            counts = base.series?.counts ?? numbers.times.map { _ in nil }
            (share, shares, reason) = (numbers.share, numbers.shares, base.reason)
        }
    }

    struct Series: Codable {
        let value: String?
        let total: Int?
        let counts: [Int?]

        init(_ series: MeasuredNumbers.Series) {
            (value, total, counts) = (series.value, series.total, series.counts)
        }
    }

    init(_ numbers: MeasuredNumbers, of measure: Measure, _ request: NumbersRequest, _ policy: CountPolicy) {
        self.measure = measure.name
        (from, to, timeZone) = (request.span.first, request.span.last, policy.zoneName)
        (per, by, times) = (request.per.rawValue, request.by, numbers.times)
        unfinished = numbers.unfinished.map { numbers.times[$0] }
        (distinct, reason) = (measure.distinct?.rawValue, numbers.reason)
        linksLeftOut = numbers.linksLeftOut
        (total, counts) = (numbers.total.total, numbers.total.counts)
        series = request.by.map { _ in numbers.series.map(Series.init) }
        (others, unknown) = (numbers.others.map(Series.init), numbers.unknown.map(Series.init))
        (base, quantiles) = (Base(numbers), numbers.quantiles)
    }
}

extension MeasuredNumbers {
    /// A table for spreadsheets: a line a time, a column a value, and what else there is of each time. It is
    /// empty where a number is hidden or unknown.
    func table(of measure: Measure) -> CSV {
        func texts(_ numbers: [(some CustomStringConvertible)?]) -> [String] {
            numbers.map { $0.map(\.description) ?? "" }
        }
        var columns = series.map { (NumbersResponse.name(of: $0.value ?? ""), texts($0.counts)) }
        if let others { columns.append(("(others)", texts(others.counts))) }
        if let unknown { columns.append(("(unknown)", texts(unknown.counts))) }
        if measure.addsUp || series.isEmpty { columns.append(("total", texts(total.counts))) }
        if let base {
            columns.append(("base", texts(base.series?.counts ?? times.map { _ in nil })))
            columns.append(("share", texts(shares)))
        }
        if measure.counting == .durations {
            columns.append(("median", texts(quantiles?.medians ?? times.map { _ in nil })))
            columns.append(("p90", texts(quantiles?.p90s ?? times.map { _ in nil })))
        }
        if let linksLeftOut { columns.append(("linksLeftOut", times.map { _ in "\(linksLeftOut)" })) }
        if let unfinished {
            columns.append(("unfinished", times.indices.map { $0 >= unfinished ? "yes" : "" }))
        }
        let lines = times.indices.map { time in [times[time]] + columns.map { $0.1[time] } }
        return CSV(name: measure.name, rows: [["time"] + columns.map(\.0)] + lines)
    }
}
