import Charts
import Web

extension ExperimentResultsResponse {
    /// Draws where the rates lie, and how the chances to be better went.
    func picture(_ words: ChartWords, width: Int) -> ChartPicture {
        let texts = ExperimentTexts(words)
        let control = variations.first?.variation ?? ""
        let charts: [(any Chart)?] = [
            intervals(texts.intervals.replacing("%", with: control)),
            chances(texts.chances.replacing("%", with: control)),
        ]
        return ChartPicture(
            title: texts.title.replacing("%", with: experiment),
            notes: ["\(texts.goal): \(goal)", "\(texts.phase): \(phase)"],
            charts: charts.compactMap(\.self),
            words, width: width)
    }

    /// The rate of each variation. Its interval is that of its difference from the control, which decides.
    /// Nil if the goal is measured by its mean, or nothing is known of it.
    private func intervals(_ title: String) -> IntervalChart? {
        let goals = variations.map { variation in variation.goals.first { $0.goal == goal } }
        guard let control = goals.first??.rate, goals.allSatisfy({ $0?.mean == nil }),
            goals.contains(where: { $0?.lower != nil })
        else { return nil }
        let rows = zip(variations, goals).compactMap { variation, reached -> IntervalChart.Row? in
            guard let reached else { return nil }
            guard let lower = reached.lower, let upper = reached.upper else {
                return IntervalChart.Row(variation.variation, reached.rate)
            }
            return IntervalChart.Row(
                variation.variation, reached.rate, in: (control + lower, control + upper))
        }
        return IntervalChart(title: title, rows: rows)
    }

    /// The chance of each variation to be better than the control, of all units until a day. Nil if there is
    /// none.
    private func chances(_ title: String) -> TimeChart? {
        let whole = 1000
        let series = variations.dropFirst().enumerated().map { look, variation in
            let chances = days.map { day in
                day.variations.first { $0.variation == variation.variation }?.soFar.chanceToBeat
            }
            return TimeChart.Series(
                variation.variation, chances.map { $0.map { Int(($0 * Double(whole)).rounded()) } },
                look: look)
        }
        guard series.contains(where: { $0.counts.contains { $0 != nil } }) else { return nil }
        return TimeChart(
            title: title, times: days.map(\.day), unit: .day, series: series,
            form: .ratio(of: days.map { _ in whole }))
    }

    /// A table for spreadsheets: a line a day and variation.
    var table: CSV {
        let rows = days.flatMap { day in
            day.variations.map { one in
                let soFar = one.soFar
                let numbers = [
                    soFar.rate, soFar.mean, soFar.chanceToBeat, soFar.difference, soFar.lower, soFar.upper,
                ]
                return [day.day, one.variation, "\(one.units)", "\(one.reached)"]
                    + numbers.map { $0.map { "\($0)" } ?? "" }
            }
        }
        let head = [
            "day", "variation", "units", "reached", "rate", "mean", "chanceToBeat", "difference", "lower",
            "upper",
        ]
        return CSV(name: "\(experiment)_\(phase)", rows: [head] + rows)
    }
}
