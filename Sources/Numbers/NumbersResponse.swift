import Charts
import Counts
import HTTPTypes
import Hummingbird
import NIOCore
import Web

/// What there are numbers of.
package struct MeasuresResponse: ResponseEncodable {
    let measures: [Measured]

    struct Measured: Encodable {
        let name: String
        let summary: String
        let by: [CountDimension]
        let filters: [String]
        /// Of which measure it is a share.
        let base: String?

        init(_ measure: Measure) {
            (name, summary, by, base) = (measure.name, measure.summary, measure.dimensions, measure.base)
            filters = measure.dimensions.map(\.rawValue) + measure.filters
        }
    }
}

/// The numbers of a measure.
struct NumbersResponse: ResponseEncodable {
    let measure: String
    let from: String
    let to: String
    let timeZone: String
    let per: String
    let by: CountDimension?
    let times: [String]
    let total: Int
    let counts: [Int]
    let series: [Series]?
    let others: Series?
    let unknown: Series?
    let base: Base?
    let quantiles: Numbers.Quantiles?

    /// Of what the total is a share.
    struct Base: Encodable {
        let measure: String
        let total: Int
        let counts: [Int]
        /// The share of all times together, and of each. Nil where the base is zero.
        let share: Double?
        let shares: [Double?]

        init(_ base: Numbers.Series, named measure: String, of total: Numbers.Series) {
            (self.measure, self.total, counts) = (measure, base.total, base.counts)
            share = JSON.share(total.total, of: base.total)
            shares = zip(total.counts, base.counts).map(JSON.share)
        }
    }

    struct Series: Encodable {
        let value: String?
        let total: Int
        let counts: [Int]

        init(_ series: Numbers.Series) {
            (value, total, counts) = (series.value, series.total, series.counts)
        }
    }

    init(_ numbers: Numbers, of measure: Measure, _ request: NumbersRequest, _ policy: CountPolicy) {
        self.measure = measure.name
        (from, to, timeZone) = (request.span.first, request.span.last, policy.zoneName)
        (per, by, times) = (request.per.rawValue, request.by, numbers.times)
        (total, counts) = (numbers.total.total, numbers.total.counts)
        series = request.by.map { _ in numbers.series.map(Series.init) }
        (others, unknown) = (numbers.others.map(Series.init), numbers.unknown.map(Series.init))
        base = numbers.base.flatMap { base in
            measure.base.map { Base(base, named: $0, of: numbers.total) }
        }
        quantiles = numbers.quantiles
    }
}

extension Numbers {
    /// A table for spreadsheets: a line a time, a column a value.
    func table(named name: String) -> CSV {
        let columns =
            others.map { others in
                series.map { ($0.value ?? "", $0.counts) } + [("(others)", others.counts)]
                    + (unknown.map { [("(unknown)", $0.counts)] } ?? [])
            } ?? []
        let all = columns + [("total", total.counts)]
        let lines = times.indices.map { time in [times[time]] + all.map { "\($0.1[time])" } }
        return CSV(name: name, rows: [["time"] + all.map(\.0)] + lines)
    }
}
