/// The query of a long link, `https://go.example.com/?link=…`, as Firebase read it.
enum LongLink {
    /// Names and values, decoded once. A pair with more than one `=` is dropped, so a `link` that was not encoded is lost as it
    /// always was; `+` means itself; of equal names the last counts. Nil if there is no `link` whatsoever, not even a lost one: names
    /// differ by case, but `link` is found in any.
    static func parameters(_ query: String?) -> [(name: String, value: String)]? {
        var (found, isLink): ([String: String], Bool) = ([:], false)
        for pair in (query ?? "").utf8.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(separator: UInt8(ascii: "="), omittingEmptySubsequences: false)
            guard let name = PercentEncoding.decode(parts[0]) else { continue }
            isLink = isLink || name.lowercased() == "link"
            guard parts.count == 2, let value = PercentEncoding.decode(parts[1]) else { continue }
            found[name.lowercased() == "link" ? "link" : name] = value
        }
        guard isLink else { return nil }
        return found.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
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
