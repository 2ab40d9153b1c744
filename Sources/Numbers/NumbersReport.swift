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
        let all = Measure.all.map { ($0.name, $0.summary) } + [(Funnel.name, Funnel.summary)]
        let longest = all.map(\.0.count).max() ?? 0
        return all.map { name, summary in
            "\(name)\(String(repeating: " ", count: longest - name.count + 2))\(summary)"
        }.joined(separator: "\n")
    }

    /// Returns the numbers of a measure. Throws a `Problem` that names a wrong parameter.
    /// - Parameter parameters: those of `GET /v1/admin/numbers/{measure}`.
    package func text(
        of name: String, _ parameters: [(name: String, value: String)], asCSV: Bool, now: Date
    ) async throws -> String {
        let query = Query(
            parameters.map { "\($0.name)=\(PercentEncoding.encode($0.value))" }.joined(separator: "&"))
        let given = Set(parameters.map(\.name))
        if name == Funnel.name {
            if let unknown = given.subtracting(Funnel.parameters).min() {
                throw Problem.invalid(unknown, "is no parameter of \(name)")
            }
            let wanted = try Funnel.request(query, now: now, policy)
            let funnel = try await store.funnel(wanted, least: policy.least)
            return asCSV ? funnel.table.text : funnel.text(wanted, policy)
        }
        guard let measure = Measure.named(name) else {
            let names = Set(Measure.all.map(\.name) + [Funnel.name])
            let nearest = name.nearest(among: names).map { ": did you mean \($0)?" }
            throw Problem.invalid("measure", "is none that `kith numbers` lists\(nearest ?? "")")
        }
        if let unknown = given.subtracting(NumbersRequest.parameters).min() {
            throw Problem.invalid(unknown, "is no dimension")
        }
        let wanted = try NumbersRequest(query, of: measure, now: now, policy)
        let numbers = try await store.numbers(of: measure, wanted, least: policy.least)
        return asCSV ? numbers.table(of: measure).text : numbers.text(of: measure, wanted, policy)
    }
}

extension MeasuredNumbers {
    /// A line a value: its sum, its share, and its course as a sparkline.
    func text(of measure: Measure, _ request: NumbersRequest, _ policy: CountPolicy) -> String {
        let words = ChartWords.english
        let named =
            series.map { ($0.value ?? "", $0) } + (others.map { [("(others)", $0)] } ?? [])
            + (unknown.map { [("(unknown)", $0)] } ?? [])
        let all =
            (measure.addsUp || named.isEmpty ? [("total", total)] : []) + named.filter { $0.1.total ?? 0 > 0 }
        func written(_ series: Series) -> String { series.total?.grouped ?? "–" }
        let longest = all.map { written($0.1).count }.max() ?? 0
        let lines = all.map { name, series in
            let (sum, share) = (written(series), words.share(series.total ?? 0, of: total.total ?? 0))
            let space = String(repeating: " ", count: longest - sum.count)
            let padded = String(repeating: " ", count: max(0, 4 - share.count)) + share
            return "\(space)\(sum)  \(padded)  \(Sparkline(series.counts).text)  \(name)"
        }
        let facts = [shareText(words), quantiles?.text].compactMap(\.self).map { "\n\($0)" }
        let span = "\(request.span.first) – \(request.span.last), \(policy.zoneName)"
        let by = request.by.map { ", by \($0.rawValue)" } ?? ""
        return """
            \(measure.name): \(measure.summary)
            \(span), \(words.per(request.per))\(by)

            \(lines.joined(separator: "\n"))\(facts.joined())
            """
    }

    private func shareText(_ words: ChartWords) -> String? {
        base.map { base in
            if let reason = base.reason { return "no share: \(reason)" }
            guard share != nil, let count = total.total, let all = base.series?.total else {
                return "– of \(base.measure) (\(base.series?.total?.grouped ?? "–"))"
            }
            return "\(words.share(count, of: all)) of \(base.measure) (\(all.grouped))"
        }
    }
}

extension MeasuredNumbers.Quantiles {
    var text: String { "half within \(Self.text(median)), nine tenths within \(Self.text(p90))" }

    private static func text(_ seconds: Int) -> String {
        let units = [(86_400, "days"), (3600, "hours"), (60, "minutes"), (1, "seconds")]
        let (length, name) = units.first { seconds >= 2 * $0.0 } ?? (1, "seconds")
        return "\(Int((Double(seconds) / Double(length)).rounded())) \(name)"
    }
}
