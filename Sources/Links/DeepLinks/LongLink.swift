import Kernel
import Web

/// The query of a long link, `https://go.example.com/?link=…`, as Firebase's server read it.
package enum LongLink {
    /// Returns names and values, decoded once. A pair is split at its first `=`, so a `link` that was not
    /// encoded loses only the part behind an inner `&`. If a name is repeated, the last value counts. Nil if
    /// there is no `link` at all. Names differ by case, but `link` is found in any case.
    package static func parameters(_ query: String?) -> [(name: String, value: String)]? {
        var (found, isLink): ([String: String], Bool) = ([:], false)
        for (name, encoded) in pairs(query) {
            isLink = isLink || name == LinkParameter.link.rawValue
            guard let encoded, let value = LinkParameter.decode(encoded, of: name) else { continue }
            found[name] = value
        }
        guard isLink else { return nil }
        return found.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
    }

    /// Returns a warning about a `link` whose own query was not percent-encoded. Nil if it was encoded.
    static func warning(_ query: String?) -> LinkWarning? {
        let link = pairs(query).last { $0.name == LinkParameter.link.rawValue }?.encoded
        guard link?.contains(where: { "?=".utf8.contains($0) }) == true else { return nil }
        return LinkWarning(code: .unspecified, parameter: LinkParameter.link.rawValue)
    }

    private static func pairs(_ query: String?) -> [(name: String, encoded: Substring.UTF8View?)] {
        (StuckText.query(Query(query)).raw ?? "").utf8.split(separator: UInt8(ascii: "&")).compactMap {
            pair in
            let parts = pair.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentEncoding.decode(parts[0]) else { return nil }
            return (name.lowercased() == "link" ? "link" : name, parts.count == 2 ? parts[1] : nil)
        }
    }
}

extension DeepLink {
    /// Returns the long link with these parameters.
    func long(in domain: LinkDomain) -> String {
        let pairs = LinkParameter.allCases.compactMap { parameter in
            (parameter == .link ? target.text : values[parameter]).map {
                "\(parameter.rawValue)=\(PercentEncoding.encode($0))"
            }
        }
        return "\(domain.text)/?\(pairs.joined(separator: "&"))"
    }
}
