import Kernel
import Web

/// The query of a long link, `https://go.example.com/?link=…`, as Firebase's server read it.
package enum LongLink {
    /// Names and values, decoded once. A pair is split at its first `=`, so of a `link` that was not encoded only what stands
    /// behind an inner `&` is lost; of equal names the last counts. Nil if there is no `link` whatsoever: names differ by case,
    /// but `link` is found in any.
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

    /// What to tell of a `link` whose own query was not percent-encoded; nil if it was.
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

extension LinkParameter {
    /// Texts, in which `+` is a blank: forms and campaign tools write them. In a URL it means itself.
    private static let texts = Set(([.st, .sd, .ct] + campaign).map(\.rawValue))

    /// A value in a query; nil if it is no percent-encoded UTF-8 text.
    static func decode(_ encoded: Substring.UTF8View, of name: String) -> String? {
        guard texts.contains(name), encoded.contains(UInt8(ascii: "+")) else {
            return PercentEncoding.decode(encoded)
        }
        return PercentEncoding.decode(encoded.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 })
    }
}

extension DeepLink {
    /// The long link with these parameters.
    func long(in domain: LinkDomain) -> String {
        let pairs = LinkParameter.allCases.compactMap { parameter in
            (parameter == .link ? target.text : values[parameter]).map {
                "\(parameter.rawValue)=\(PercentEncoding.encode($0))"
            }
        }
        return "\(domain.text)/?\(pairs.joined(separator: "&"))"
    }
}
