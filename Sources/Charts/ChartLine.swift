/// A line through points, with gaps where there are none.
enum ChartLine {
    /// - Parameters:
    ///   - points: nil where nobody knows.
    ///   - hasDots: whether each point has a dot. One that stands alone always has.
    static func svg(
        _ points: [(x: Double, y: Double)?], look: Int, hasDots: Bool = false, name: String? = nil
    ) -> String {
        var (path, dots) = ("", "")
        for (place, point) in points.enumerated() {
            guard let point else { continue }
            let isFirst = place == 0 || points[place - 1] == nil
            let isLast = place + 1 == points.count || points[place + 1] == nil
            path += "\(isFirst ? "M" : "L")\(point.x.written) \(point.y.written)"
            if hasDots || isFirst && isLast { dots += dot(point.x, point.y, look) }
        }
        let title = name.map { "<title>\(ChartText.escape($0))</title>" } ?? ""
        return "<path \(ChartStyle.stroke(look)) d=\"\(path)\">\(title)</path>\(dots)"
    }

    static func dot(_ x: Double, _ y: Double, _ look: Int) -> String {
        "<circle class=\"f\(look)\" cx=\"\(x.written)\" cy=\"\(y.written)\" r=\"3\"/>"
    }
}
