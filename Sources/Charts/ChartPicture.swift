import Foundation
package import Web

/// A picture: charts one below another, under a title.
package struct ChartPicture: Sendable {
    package var title: String
    /// The number that matters most, in large letters.
    package var figure: String?
    /// Of what the numbers are, in small letters below the title.
    package var notes: [String]
    package var charts: [any Chart]
    package var words: ChartWords
    package var width: Int
    /// Whether a page says title, figure and notes, so that the picture only tells them to who does not see
    /// it.
    package var isBare = false

    /// From the width of a small phone to that of a large screen.
    package static let widths = 320...1600

    package init(
        title: String, figure: String? = nil, notes: [String] = [], charts: [any Chart],
        _ words: ChartWords, width: Int = 720
    ) {
        (self.title, self.figure, self.notes) = (title, figure, notes)
        (self.charts, self.words) = (charts, words)
        self.width = min(max(width, Self.widths.lowerBound), Self.widths.upperBound)
    }

    /// Reads `width` of a query.
    package static func width(_ query: Query) throws(Problem) -> Int {
        guard let text = try query.value("width") else { return 720 }
        guard let width = Int(text), widths.contains(width) else {
            throw .invalid("width", "must be from \(widths.lowerBound) to \(widths.upperBound)")
        }
        return width
    }

    /// What it shows, in sentences.
    package var summary: String {
        let about = ([figure.map { "\(words.total) \($0)" }] + notes).compactMap(\.self)
        let first = about.isEmpty ? [] : [words.sentence([words.list(about)])]
        return (first + charts.map { $0.summary(words) }).joined(separator: " ")
    }

    /// The sentences, and the tables as lines of text.
    private var description: String {
        ([summary] + charts.compactMap { $0.table(words).text }).joined(separator: "\n")
    }

    package var svg: String {
        let margin = isBare ? 0 : width < 480 ? 14.0 : 24.0
        let inside = Double(width) - 2 * margin
        var (parts, y) = ([String](), margin)
        if !isBare { parts.append(heading(margin, inside, &y)) }
        for (number, chart) in charts.enumerated() {
            if number > 0 { y += 28 }
            if !chart.title.isEmpty {
                let title = ChartText.fitted(chart.title, within: inside, 14)
                parts.append(ChartText.svg(title, margin, y + 14, "head"))
                y += 24
            }
            let drawing = chart.drawing(width: inside, words)
            parts.append(
                "<g transform=\"translate(\(margin.written) \(y.written))\">\(drawing.svg)</g>")
            y += drawing.height
        }
        let height = (y + margin).written
        let body = parts.joined(separator: "\n")
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" width="\(width)" height="\(height)" \
            lang="\(ChartText.escape(words.tag))" direction="ltr" role="img" aria-labelledby="title description">
            <title id="title">\(ChartText.escape(title))</title>
            <desc id="description">\(description.split(separator: "\n").map { ChartText.escape(String($0)) }.joined(separator: "\n"))</desc>
            \(ChartStyle.head)
            <rect class="ground" width="\(width)" height="\(height)"/>
            \(body)
            </svg>

            """
    }

    /// The picture as the URL of an `<img>`.
    package var dataURL: String { "data:image/svg+xml;base64,\(Data(svg.utf8).base64EncodedString())" }

    private func heading(_ x: Double, _ room: Double, _ y: inout Double) -> String {
        // A Japanese title has one place to break at: before what stands in brackets.
        let words = title.replacing("（", with: " （").split(separator: " ").map(String.init)
        var parts: [String] = []
        for line in Self.lines(words, " ", room, 16).prefix(3) {
            parts.append(ChartText.svg(line.replacing(" （", with: "（"), x, y + 14, "title"))
            y += 22
        }
        if let figure {
            parts.append(ChartText.svg(ChartText.fitted(figure, within: room, 32), x, y + 28, "figure"))
            y += 38
        }
        for line in Self.lines(Array(notes.prefix(8)), " · ", room, 12) {
            parts.append(ChartText.svg(line, x, y + 14))
            y += 18
        }
        y += 12
        return parts.joined()
    }

    /// Returns texts in lines, as many in each as have room.
    private static func lines(_ texts: [String], _ separator: String, _ room: Double, _ size: Double)
        -> [String]
    {
        texts.prefix(40).reduce(into: []) { lines, text in
            let text = ChartText.fitted(text, within: room, size)
            if let last = lines.last, ChartText.width("\(last)\(separator)\(text)", size) <= room {
                lines[lines.count - 1] = "\(last)\(separator)\(text)"
            } else {
                lines.append(text)
            }
        }
    }
}
