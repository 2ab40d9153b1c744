import Pictures
import Web

/// What `kith check-preview` found out about a link.
package struct PreviewReport: Sendable {
    let visits: [PreviewVisit]
    /// Broken rules of the page for everybody, in addition to those for single fetchers.
    let common: [PreviewRules.Broken]
    /// Why nobody gets an answer, so that no other fetcher was tried. Nil if there was an answer.
    var failure: HTTPFetch.Failure?

    package var isSound: Bool { failure == nil && broken.isEmpty }

    /// Each broken rule once, with the names of the fetchers for which it is broken.
    var broken: [(rule: PreviewRules.Broken, names: [String])] {
        var (order, names): ([PreviewRules.Broken], [PreviewRules.Broken: [String]]) = ([], [:])
        for (rule, name) in common.map({ ($0, "all") })
            + visits.flatMap({ visit in PreviewRules(visit: visit).broken.map { ($0, visit.fetcher.name) } })
        {
            if names[rule] == nil { order.append(rule) }
            names[rule, default: []].append(name)
        }
        return order.map { ($0, names[$0]?.count == visits.count ? ["all"] : names[$0] ?? []) }
    }

    /// The report for a person at a terminal, without anything that controls the terminal, whoever wrote the
    /// page.
    package var lines: [String] { text.map { $0.drawable(limit: 1000) } }

    private var text: [String] {
        if let failure { return ["no preview anywhere: \(failure)", "  \(failure.advice)"] }
        var lines: [String] = []
        for visit in visits {
            let name = visit.fetcher.name.padding(10)
            let rest = String(repeating: " ", count: 10)
            lines += visit.lines.enumerated().map { ($0 == 0 ? name : rest) + $1 }
        }
        guard !isSound else { return lines + ["", "no rule is broken"] }
        lines += ["", "broken rules:"]
        for (rule, names) in broken {
            lines += ["- \(names.joined(separator: ", ")): \(rule.fault)", "  \(rule.mend)"]
        }
        return lines
    }
}

extension String {
    fileprivate func padding(_ width: Int) -> String {
        self + String(repeating: " ", count: max(1, width - count))
    }
}
