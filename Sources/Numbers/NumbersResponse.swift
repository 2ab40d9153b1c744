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

        init(_ measure: Measure) {
            (name, summary, by) = (measure.name, measure.summary, measure.dimensions)
            filters =
                measure.dimensions.map(\.rawValue) + (measure.scope == .links ? ["domain", "link"] : [])
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
    }
}

extension Numbers {
    /// A table for spreadsheets: a line a time, a column a value.
    var csv: String {
        let columns =
            others.map { others in
                series.map { ($0.value ?? "", $0.counts) } + [("(others)", others.counts)]
                    + (unknown.map { [("(unknown)", $0.counts)] } ?? [])
            } ?? []
        let all = columns + [("total", total.counts)]
        let head = ["time"] + all.map { CSV.field($0.0) }
        let lines = times.indices.map { time in [times[time]] + all.map { "\($0.1[time])" } }
        return ([head] + lines).map { $0.joined(separator: ",") + "\r\n" }.joined()
    }
}
