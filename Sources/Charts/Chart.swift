/// A chart of numbers: it draws itself, and says the same in a sentence and in a table.
package protocol Chart: Sendable {
    var title: String { get }

    /// Draws the chart as wide as is given, from (0, 0) on.
    func drawing(width: Double, _ words: ChartWords) -> ChartDrawing
    /// The main things in sentences, for whoever does not see the chart.
    func summary(_ words: ChartWords) -> String
    func table(_ words: ChartWords) -> ChartTable
}

/// A part of an SVG, and how high it is.
package struct ChartDrawing: Sendable {
    var svg = ""
    var height = 0.0
}
