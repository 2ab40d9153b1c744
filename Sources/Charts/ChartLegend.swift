/// The names of series, each beside a piece of its look.
enum ChartLegend {
    /// - Parameter y: the line on which the name stands.
    static func entry(_ look: Int, _ name: String, _ x: Double, _ y: Double) -> String {
        """
        <rect \(ChartStyle.fill(look)) x="\(x.written)" y="\((y - 10).written)" width="12" height="12" rx="2"/>\
        \(ChartText.svg(name, x + 18, y, "name"))
        """
    }

    /// Returns the names in as many columns as the longest allows.
    static func drawing(_ names: [(look: Int, text: String)], width: Double) -> ChartDrawing {
        let longest = (names.map { ChartText.width($0.text, 13) }.max() ?? 0) + 32
        let columns = max(1, Int(width / longest))
        let column = min(width / Double(columns), longest + 8)
        let svg = names.enumerated().map { number, name in
            entry(
                name.look, name.text, Double(number % columns) * column,
                Double(number / columns) * 20 + 12)
        }
        return ChartDrawing(
            svg: svg.joined(), height: Double((names.count + columns - 1) / columns) * 20)
    }

    /// Moves places that lie from the bottom up so that they are apart, and within two bounds. There must be
    /// room for all of them.
    static func spread(_ places: [Double], apart: Double, from top: Double, to bottom: Double) -> [Double] {
        var (moved, most) = ([Double](), bottom)
        for place in places {
            moved.append(min(place, most))
            most = moved[moved.count - 1] - apart
        }
        var least = top
        for place in moved.indices.reversed() {
            moved[place] = max(moved[place], least)
            least = moved[place] + apart
        }
        return moved
    }
}
