/// A line of numbers so small that it stands in a text or a table.
package struct Sparkline: Sendable {
    /// At most as many numbers as were asked for. Nil where nobody knows, or may know.
    let counts: [Int?]

    /// - Parameters:
    ///   - isLevel: whether the numbers are levels, which nobody may sum.
    ///   - most: how many numbers have room. Of more, equally many each are summed, or the last is taken.
    package init(_ counts: [Int?], isLevel: Bool = false, most: Int = 40) {
        let size = max(1, (counts.count + most - 1) / most)
        self.counts = stride(from: 0, to: counts.count, by: size).map { start in
            counts[start..<min(start + size, counts.count)].reduce(nil) { sum, count in
                count.map { isLevel ? max(0, $0) : TimeChart.sum(sum ?? 0, max(0, $0)) } ?? sum
            }
        }
    }

    private static let blocks = Array("▁▂▃▄▅▆▇█")

    private var most: Double { Double(max(1, counts.compactMap(\.self).max() ?? 0)) }

    /// A letter a number, from ▁ for 0 to █ for the largest, and · for none.
    package var text: String {
        let most = most
        return String(
            counts.map { count in
                guard let count else { return "·" }
                return Self.blocks[count == 0 ? 0 : min(7, max(1, Int((Double(count) / most * 7).rounded())))]
            })
    }

    /// A picture of 120 by 28 for a page, in the colour of its text.
    package var svg: String {
        let most = most
        let step = 116 / Double(max(1, counts.count - 1))
        let points = counts.enumerated().compactMap { number, count in
            count.map {
                "\((2 + Double(number) * step).written),\((26 - Double($0) / most * 24).written)"
            }
        }
        let end = points.last.map { point in
            let parts = point.split(separator: ",")
            return "<circle cx=\"\(parts[0])\" cy=\"\(parts[1])\" r=\"2\" fill=\"currentColor\"/>"
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 28" width="120" height="28" role="img" aria-label="\(text)">\
            <polyline fill="none" stroke="currentColor" stroke-width="1.5" points="\(points.joined(separator: " "))"/>\(end ?? "")</svg>
            """
    }
}
