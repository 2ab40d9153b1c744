import Charts
package import Counts
package import Foundation
import Web

/// The numbers of `kith numbers`, as text for a terminal.
package struct NumbersReport: Sendable {
    let store: NumbersStore
    let policy: CountPolicy

    package init(store: NumbersStore, policy: CountPolicy) {
        (self.store, self.policy) = (store, policy)
    }

    /// A line a measure: its name, and what one of it is.
    package static var measures: String {
        let longest = Measure.all.map(\.name.count).max() ?? 0
        return Measure.all.map { measure in
            let space = String(repeating: " ", count: longest - measure.name.count + 2)
            return "\(measure.name)\(space)\(measure.summary)"
        }.joined(separator: "\n")
    }

    /// Returns the numbers of a measure. Throws a `Problem` that names a wrong parameter.
    /// - Parameter parameters: those of `GET /v1/admin/numbers/{measure}`.
    package func text(
        of name: String, _ parameters: [(name: String, value: String)], asCSV: Bool, now: Date
    ) async throws -> String {
        guard let measure = Measure.named(name) else {
            let nearest = name.nearest(among: Set(Measure.all.map(\.name))).map { ": did you mean \($0)?" }
            throw Problem.invalid("measure", "is none that `kith numbers` lists\(nearest ?? "")")
        }
        let known = Set(NumbersRequest.parameters)
        if let unknown = parameters.first(where: { !known.contains($0.name) }) {
            throw Problem.invalid(unknown.name, "is no dimension")
        }
        let query = parameters.map { "\($0.name)=\(PercentEncoding.encode($0.value))" }.joined(separator: "&")
        let wanted = try NumbersRequest(Query(query), of: measure, now: now, policy)
        let numbers = try await store.numbers(of: measure, wanted, least: policy.least)
        return asCSV ? numbers.csv : numbers.text(of: measure, wanted, policy)
    }
}

extension Numbers {
    /// A line a value: its sum, its share, and its course as a sparkline.
    func text(of measure: Measure, _ request: NumbersRequest, _ policy: CountPolicy) -> String {
        let words = ChartWords.english
        let named =
            series.map { ($0.value ?? "", $0) } + (others.map { [("(others)", $0)] } ?? [])
            + (unknown.map { [("(unknown)", $0)] } ?? [])
        let lines = ([("total", total)] + named.filter { $0.1.total > 0 }).map { name, series in
            let (sum, share) = (series.total.grouped, words.share(series.total, of: total.total))
            let space = String(repeating: " ", count: max(0, total.total.grouped.count - sum.count))
            let padded = String(repeating: " ", count: max(0, 4 - share.count)) + share
            return "\(space)\(sum)  \(padded)  \(Sparkline(series.counts).text)  \(name)"
        }
        let facts = [share(of: measure, words), quantiles?.text].compactMap(\.self).map { "\n\($0)" }
        let span = "\(request.span.first) – \(request.span.last), \(policy.zoneName)"
        let by = request.by.map { ", by \($0.rawValue)" } ?? ""
        return """
            \(measure.name): \(measure.summary)
            \(span), \(words.per(request.per))\(by)

            \(lines.joined(separator: "\n"))\(facts.joined())
            """
    }

    private func share(of measure: Measure, _ words: ChartWords) -> String? {
        base.map { base in
            "\(words.share(total.total, of: base.total)) of \(measure.base ?? "") (\(base.total.grouped))"
        }
    }
}

extension Numbers.Quantiles {
    var text: String { "half within \(Self.text(median)), nine tenths within \(Self.text(p90))" }

    private static func text(_ seconds: Int) -> String {
        let units = [(86_400, "days"), (3600, "hours"), (60, "minutes"), (1, "seconds")]
        let (length, name) = units.first { seconds >= 2 * $0.0 } ?? (1, "seconds")
        return "\(Int((Double(seconds) / Double(length)).rounded())) \(name)"
    }
}
