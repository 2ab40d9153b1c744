import Foundation
import Web

/// Three charts one below another, for the width of a phone: the share of each version, the answers of each
/// day, and how many have the target of a policy.
struct AdoptionPicture: Sendable {
    /// The days, oldest first.
    let days: [String]
    let counts: [(count: VersionCount, number: Int)]
    let target: VersionNumber?
    /// When the policy begins.
    let start: Date?
    /// Whose calls these are, and which policy it is: an app, a platform and a key, where these were chosen.
    let scope: [String]
    let texts: AdoptionTexts

    private static let (width, left, right, plotHeight, chartHeight, headHeight) = (
        360, 44, 352, 130, 244, 26
    )
    private static let colours = ["#5b54d6", "#2a9d8f", "#e9a03b", "#c8553d", "#7a8cc2", "#9aa0a6"]
    private static let mostVersions = 5

    /// The values of one name, one for each day.
    private struct Series {
        let name: String
        let colour: String
        let values: [Int]
    }

    var svg: String {
        let height = 3 * Self.chartHeight + Self.headHeight
        let head = scope.joined(separator: " · ")
        let title = ([texts.title] + scope + ["\(days.first ?? "") – \(days.last ?? "")"]).joined(
            separator: " · ")
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Self.width) \(height)" lang="\(texts.tag)" role="img" \
            aria-labelledby="title description" font-family="system-ui, sans-serif" font-size="12" fill="#222">
            <title id="title">\(HTML.escape(title))</title>
            <desc id="description">\(HTML.escape(description))</desc>
            <rect width="\(Self.width)" height="\(height)" fill="#fff"/>
            <text x="8" y="16" font-size="11" fill="#555">\(HTML.escape(Self.fitting(head, within: 344)))</text>
            \(chart(0, texts.versions, bars(versions, isShare: true)))
            \(chart(1, texts.answers, bars(answers, isShare: false)))
            \(adoption)
            </svg>

            """
    }
}

/// The data that are drawn.
extension AdoptionPicture {
    /// The sums of the charts, and the last day of the third, for people who do not see them.
    private var description: String {
        func list(_ title: String, _ series: [Series]) -> String {
            let sums = series.map { ($0.name, $0.values.reduce(0, +)) }.filter { $0.1 > 0 }
            let all = max(1, sums.reduce(0) { $0 + $1.1 })
            let parts = sums.map { name, sum in
                "\(name) \(Int((Double(sum) / Double(all) * 100).rounded())) % (\(sum.grouped))"
            }
            return "\(title): \(parts.isEmpty ? texts.nobody : parts.joined(separator: ", "))."
        }
        var parts = [list(texts.versions, versions), list(texts.answers, answers)]
        if let target, let day = days.indices.last(where: { all[$0] > 0 }) {
            let share = Int((Double(updated(to: target)[day]) / Double(all[day]) * 100).rounded())
            parts.append("\(title(of: target)): \(days[day]) \(share) %.")
        }
        return parts.joined(separator: " ")
    }

    private func title(of target: VersionNumber) -> String {
        texts.adoption.replacing("%", with: Self.fitting("\(target)", within: 130))
    }

    /// The calls of each day.
    private var all: [Int] { values { _ in true } }

    private func updated(to target: VersionNumber) -> [Int] {
        values { VersionNumber($0.version).map { $0 >= target } ?? false }
    }

    private var places: [String: Int] {
        Dictionary(days.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    }

    private func values(_ isMeant: (VersionCount) -> Bool) -> [Int] {
        let places = places
        var values = [Int](repeating: 0, count: days.count)
        for (count, number) in counts where isMeant(count) {
            if let place = places[count.day] { values[place] += number }
        }
        return values
    }

    /// The most frequent versions, newest first, and all others together.
    private var versions: [Series] {
        var sums: [String: Int] = [:]
        for (count, number) in counts { sums[count.version, default: 0] += number }
        let known = sums.filter { VersionNumber($0.key) != nil }
        let most = known.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(Self.mostVersions).map(
            \.key)
        let shown = most.sorted { (VersionNumber($1) ?? .zero) < (VersionNumber($0) ?? .zero) }
        let named = zip(shown, Self.colours).map { version, colour in
            Series(name: version, colour: colour, values: values { $0.version == version })
        }
        let rest = Set(sums.keys).subtracting(shown)
        guard !rest.isEmpty else { return named }
        return named + [
            Series(
                name: texts.other, colour: Self.colours.last ?? "",
                values: values { rest.contains($0.version) })
        ]
    }

    private var answers: [Series] {
        let colours: [UpdatePolicy.Action: String] = [
            .none: "#9aa0a6", .soft: "#2a9d8f", .hard: "#e9a03b", .block: "#c8553d",
        ]
        return UpdatePolicy.Action.allCases.map { action in
            Series(
                name: texts.actions[action] ?? action.rawValue, colour: colours[action] ?? "",
                values: values { $0.action == action })
        }
    }
}

/// The drawing itself.
extension AdoptionPicture {
    private func chart(_ number: Int, _ title: String, _ inside: String) -> String {
        """
        <g transform="translate(0 \(number * Self.chartHeight + Self.headHeight))">
        <text x="8" y="14" font-size="14" font-weight="600">\(HTML.escape(title))</text>
        <g transform="translate(0 30)">\(inside)</g>
        </g>
        """
    }

    /// Returns a line of the scale, with its number.
    private func scale(_ texts: [(height: Double, text: String)]) -> String {
        texts.map { height, text in
            let y = y(height)
            return """
                <path d="M\(Self.left) \(y)H\(Self.right)" stroke="#ddd"/>\
                <text x="\(Self.left - 4)" y="\(y + 4)" text-anchor="end" font-size="11">\(text)</text>
                """
        }.joined()
    }

    private func y(_ part: Double) -> Int {
        Self.plotHeight - Int((part * Double(Self.plotHeight)).rounded())
    }

    private func x(_ day: Int) -> Int {
        Self.left + day * (Self.right - Self.left) / max(1, days.count)
    }

    /// First and last day, below the plot.
    private var dates: String {
        """
        <text x="\(Self.left)" y="\(Self.plotHeight + 14)" font-size="11">\(days.first ?? "")</text>\
        <text x="\(Self.right)" y="\(Self.plotHeight + 14)" font-size="11" text-anchor="end">\(days.last ?? "")</text>
        """
    }

    private func bars(_ series: [Series], isShare: Bool) -> String {
        let totals = days.indices.map { day in series.reduce(0) { $0 + $1.values[day] } }
        guard let most = totals.max(), most > 0 else { return nothing(texts.nobody) }
        var (below, drawn) = ([Int](repeating: 0, count: days.count), "")
        for line in series {
            let path = days.indices.filter { line.values[$0] > 0 }.map { day in
                let whole = Double(isShare ? totals[day] : most)
                let (from, to) = (
                    y(Double(below[day]) / whole), y(Double(below[day] + line.values[day]) / whole)
                )
                let end = max(x(day) + 1, x(day + 1) - (days.count > 60 ? 0 : 1))
                return "M\(x(day)) \(from)V\(to)H\(end)V\(from)z"
            }.joined()
            for day in days.indices { below[day] += line.values[day] }
            drawn +=
                "<path fill=\"\(line.colour)\" d=\"\(path)\"><title>\(HTML.escape(line.name))</title></path>"
        }
        let top = isShare ? "100%" : Self.short(most)
        return scale([(0, "0"), (1, top)]) + drawn + dates + legend(series)
    }

    /// Returns the legend, in as many columns as the longest name allows, and in at most three rows: six
    /// shortened names have room in two columns.
    private func legend(_ series: [Series]) -> String {
        let names = series.map { Self.fitting($0.name, within: 146) }
        let columns = min(4, max(2, 344 / ((names.map(Self.width).max() ?? 0) + 24)))
        return zip(series, names).enumerated().map { number, entry in
            let (x, y) = (
                8 + number % columns * (344 / columns), Self.plotHeight + 24 + number / columns * 18
            )
            return """
                <rect x="\(x)" y="\(y)" width="10" height="10" fill="\(entry.0.colour)"/>\
                <text x="\(x + 14)" y="\(y + 9)" font-size="11">\(HTML.escape(entry.1))</text>
                """
        }.joined()
    }

    /// Returns about how wide letters of size 11 are.
    private static func width(_ text: String) -> Int {
        text.unicodeScalars.reduce(0) { $0 + ($1.isASCII ? 6 : 11) }
    }

    /// Returns the text, cut in its middle if it is too long: versions differ at their ends.
    private static func fitting(_ text: String, within most: Int) -> String {
        var (head, tail) = (text.prefix(text.count / 2), text.suffix(text.count - text.count / 2))
        guard width(text) > most else { return text }
        while width("\(head)…\(tail)") > most, !tail.isEmpty {
            if head.count >= tail.count { head.removeLast() } else { tail.removeFirst() }
        }
        return "\(head)…\(tail)"
    }

    /// Returns a number short enough for the scale: 999, 12k, 3.4M.
    private static func short(_ number: Int) -> String {
        let units = [(1_000_000_000, "G"), (1_000_000, "M"), (1000, "k")]
        guard let (unit, letter) = units.first(where: { number >= $0.0 }) else { return "\(number)" }
        let tenths = number / (unit / 10)
        return tenths >= 100 || tenths % 10 == 0
            ? "\(tenths / 10)\(letter)" : "\(tenths / 10).\(tenths % 10)\(letter)"
    }

    private func nothing(_ text: String) -> String {
        "<text x=\"\(Self.left)\" y=\"\(Self.plotHeight / 2)\">\(HTML.escape(text))</text>"
    }

    private var adoption: String {
        guard let target else { return chart(2, texts.noTarget, "") }
        let (title, all) = (title(of: target), all)
        guard all.contains(where: { $0 > 0 }) else { return chart(2, title, nothing(texts.nobody)) }
        let updated = updated(to: target)
        let half = (x(1) - x(0)) / 2
        let points = days.indices.filter { all[$0] > 0 }.map { day in
            "\(x(day) + half),\(y(Double(updated[day]) / Double(all[day])))"
        }
        let dots = points.map { point in
            let parts = point.split(separator: ",")
            return "<circle cx=\"\(parts[0])\" cy=\"\(parts[1])\" r=\"2\" fill=\"#5b54d6\"/>"
        }
        let line =
            "<polyline fill=\"none\" stroke=\"#5b54d6\" stroke-width=\"2\" points=\"\(points.joined(separator: " "))\"/>"
        return chart(
            2, title,
            scale([(0, "0"), (0.5, "50%"), (1, "100%")]) + beginning + line + dots.joined() + dates)
    }

    /// A mark on the day on which the policy begins.
    private var beginning: String {
        guard let start, let day = places[String(JSON.timestamp(start).prefix(10))] else { return "" }
        // The text stands left of the mark if there is no room to its right.
        let isRight = x(day) + 3 + Self.width(texts.start) <= Self.right
        let place = isRight ? "x=\"\(x(day) + 3)\"" : "x=\"\(x(day) - 3)\" text-anchor=\"end\""
        return """
            <path d="M\(x(day)) 0V\(Self.plotHeight)" stroke="#c8553d" stroke-dasharray="4 3"/>\
            <text \(place) y="10" font-size="11" fill="#c8553d">\(HTML.escape(texts.start))</text>
            """
    }
}
