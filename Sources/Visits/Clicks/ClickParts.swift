package import Counts

/// By what a visit is counted beside its platform, as a text with a line for each: `country=JP`.
package struct ClickParts: Equatable, Sendable {
    private(set) var text = ""

    /// Adds a value, without what would end its line, and as much of it as a sum keeps.
    package mutating func add(_ dimension: CountDimension, _ value: String?) {
        guard let value, !value.isEmpty else { return }
        if !text.isEmpty { text += "\n" }
        text += dimension.rawValue + "="
        let isPlain = value.utf8.count <= CountParts.mostBytes && value.utf8.allSatisfy { $0 >= 0x20 }
        text += isPlain ? value : CountParts.cut(value).filter { !$0.isNewline && $0 >= " " }
    }

    /// Returns the values of a text that this has written.
    package static func values(_ text: String) -> [CountDimension: String] {
        text.split(separator: "\n").reduce(into: [:]) { values, line in
            guard let end = line.firstIndex(of: "="),
                let dimension = CountDimension(rawValue: String(line[..<end]))
            else { return }
            values[dimension] = String(line[end...].dropFirst())
        }
    }
}
