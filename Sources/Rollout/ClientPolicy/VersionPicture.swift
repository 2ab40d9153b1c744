import Charts
import Web

/// Three charts one below another: the share of each version, the answers of each day, and how many have the
/// target of a policy.
struct VersionPicture: Sendable {
    /// The days, oldest first.
    let days: [String]
    let counts: [(count: VersionCount, number: Int)]
    let target: VersionNumber?
    /// The versions that policies name.
    let named: Set<VersionNumber>
    /// The day on which the policy begins.
    let start: String?
    /// Whose calls these are, and which policy it is: an app, a platform and a key, where these were chosen.
    let scope: [String]
    let words: ChartWords
    var width = 720

    private static let mostVersions = 5

    var picture: ChartPicture {
        let texts = VersionTexts(words)
        var charts = [
            TimeChart(title: texts.versions, times: days, unit: .day, series: versions, form: .shares),
            TimeChart(title: texts.answers, times: days, unit: .day, series: answers(texts)),
        ]
        if let target {
            let title = texts.adoption.replacing("%", with: "\(target)")
            let all = values { _ in true }
            let believed = believed(of: all)
            let updated = values { count in
                VersionNumber(count.version).map { believed.isUpdated($0, to: target) } ?? false
            }
            var chart = TimeChart(
                title: title, times: days, unit: .day, series: [.init(title, updated, look: 0)],
                form: .ratio(of: all))
            chart.mark = start.flatMap { start in
                days.firstIndex(of: start).map { ($0, texts.start) }
            }
            charts.append(chart)
        }
        let span = words.span(days.first ?? "", days.last ?? "")
        return ChartPicture(
            title: texts.title, notes: scope + [span] + (target == nil ? [texts.noTarget] : []),
            charts: charts, words, width: width)
    }

    private func values(_ isMeant: (VersionCount) -> Bool) -> [Int] {
        let places = Dictionary(days.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        var values = [Int](repeating: 0, count: days.count)
        for (count, number) in counts where isMeant(count) {
            if let place = places[count.day] { values[place] += number }
        }
        return values
    }

    private func believed(of wholes: [Int]) -> BelievedVersions {
        let places = Dictionary(days.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        var sums = days.map { _ in [String: Int]() }
        for (count, number) in counts {
            if let place = places[count.day] { sums[place][count.version, default: 0] += number }
        }
        let known = sums.enumerated().flatMap { day, sums in
            sums.compactMap { text, number in
                VersionNumber(text).map { BelievedVersions.Count(day: day, version: $0, number: number) }
            }
        }
        return BelievedVersions(known, of: wholes, named: named)
    }

    /// The most frequent versions, newest first, and all others together.
    private var versions: [TimeChart.Series] {
        var sums: [String: Int] = [:]
        for (count, number) in counts { sums[count.version, default: 0] += number }
        let known = sums.filter { VersionNumber($0.key) != nil }
        let most = known.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(Self.mostVersions).map(
            \.key)
        let shown = most.sorted { (VersionNumber($1) ?? .zero) < (VersionNumber($0) ?? .zero) }
        let named = shown.enumerated().map { look, version in
            TimeChart.Series(version, values { $0.version == version }, look: look)
        }
        let rest = Set(sums.keys).subtracting(shown)
        guard !rest.isEmpty else { return named }
        return named + [
            .init(words.others, values { rest.contains($0.version) }, look: TimeChart.Series.others)
        ]
    }

    private func answers(_ texts: VersionTexts) -> [TimeChart.Series] {
        let looks: [UpdatePolicy.Action: Int] = [
            .none: TimeChart.Series.others, .soft: 2, .hard: 1, .block: 5,
        ]
        return UpdatePolicy.Action.allCases.map { action in
            .init(
                texts.actions[action] ?? action.rawValue, values { $0.action == action },
                look: looks[action] ?? 0)
        }
    }
}
