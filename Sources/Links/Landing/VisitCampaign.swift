import Counts
import Web

extension Query {
    /// The campaign of a visit, as much of it as numbers keep, as pairs that go on with the visitor. Nil if
    /// it has none.
    var campaign: String? {
        let pairs = CountDimension.campaigns.compactMap { dimension -> String? in
            let given = (try? value(dimension.rawValue)) ?? nil
            guard let text = given.map(CountParts.plain), !text.isEmpty else { return nil }
            return "\(dimension.rawValue)=\(PercentEncoding.encode(text))"
        }
        return pairs.isEmpty ? nil : pairs.joined(separator: "&")
    }
}

extension String {
    /// Returns a link with further pairs in its query.
    func adding(pairs: String) -> String {
        "\(self)\(utf8.contains(UInt8(ascii: "?")) ? "&" : "?")\(pairs)"
    }
}
