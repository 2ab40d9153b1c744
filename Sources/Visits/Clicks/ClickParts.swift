package import Counts

/// By what a visit is counted beside its platform, as a text with a line for each: `country=JP`.
package struct ClickParts: Equatable, Sendable {
    package private(set) var text = ""

    package init() {}

    /// Adds as much of a value as a sum keeps, which has nothing that would end its line.
    package mutating func add(_ dimension: CountDimension, _ value: String?) {
        guard let value = value.map(CountParts.plain), !value.isEmpty else { return }
        if !text.isEmpty { text += "\n" }
        text += dimension.rawValue + "=" + value
    }

    /// Adds of which campaign a visit is.
    /// - Parameter value: returns a parameter of its URL.
    package mutating func addCampaign(_ value: (_ name: String) -> String?) {
        for dimension in CountDimension.campaigns { add(dimension, value(dimension.rawValue)) }
    }

    /// Returns the values of a text that this has written.
    package static func values(_ text: String) -> [CountDimension: String] {
        text.split(separator: "\n").reduce(into: [:]) { values, line in
            // By bytes: with an accent behind it, = is another character.
            guard let end = line.utf8.firstIndex(of: UInt8(ascii: "=")),
                let dimension = CountDimension(rawValue: String(line[..<end]))
            else { return }
            values[dimension] = String(line[line.utf8.index(after: end)...])
        }
    }
}
