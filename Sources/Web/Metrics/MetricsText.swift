/// Writes the text format of Prometheus.
package struct MetricsText {
    package private(set) var text = ""

    package init() {}

    package enum Kind: String {
        case counter, gauge, histogram
    }

    package mutating func family(_ name: String, _ kind: Kind, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    }

    /// Writes a family of one sample, which has no labels.
    package mutating func family(
        _ name: String, _ kind: Kind, _ help: String, _ value: some CustomStringConvertible
    ) {
        family(name, kind, help)
        sample(name, [], value)
    }

    /// Writes a family whose samples differ in one label.
    package mutating func family<Value: CustomStringConvertible>(
        _ name: String, _ kind: Kind, _ help: String, by label: String, _ values: [(String, Value)]
    ) {
        family(name, kind, help)
        for (text, value) in values { sample(name, [(label, text)], value) }
    }

    package mutating func sample(
        _ name: String, _ labels: [(String, String)] = [], _ value: some CustomStringConvertible
    ) {
        let list = labels.map { "\($0)=\"\(Self.escaped($1))\"" }.joined(separator: ",")
        text += list.isEmpty ? "\(name) \(value)\n" : "\(name){\(list)} \(value)\n"
    }

    /// - Parameter buckets: how many values were at most each bound and above the one before. The last bucket
    ///   has no bound.
    mutating func histogram(
        _ name: String, _ labels: [(String, String)], bounds: [some CustomStringConvertible], buckets: [Int],
        sum: some CustomStringConvertible
    ) {
        var below = 0
        for (bound, count) in zip(bounds.map(\.description) + ["+Inf"], buckets) {
            below += count
            sample("\(name)_bucket", labels + [("le", bound)], below)
        }
        sample("\(name)_sum", labels, sum)
        sample("\(name)_count", labels, below)
    }

    private static func escaped(_ value: String) -> String {
        value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}
