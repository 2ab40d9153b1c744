/// Names of hosts that an operator lists, as in `cdn.example.org,*.example.com`: the one reader of all such settings. They are
/// compared with the host of a URL, never with its text.
package struct HostPatterns: Hashable, Sendable {
    /// In lower case; `*.example.com` means every host below `example.com`.
    package private(set) var names: [String] = []

    package static let none = HostPatterns()

    /// What a text must be.
    package static let form =
        "names of hosts separated by commas, as in cdn.example.org,*.example.com, without ports, addresses and other scripts "
        + "(xn--…)"

    /// Nil if one is no name of a host, or would mean all below a top-level domain.
    package init?(_ text: String) {
        for part in text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            // In lower case some letters of other scripts become ASCII.
            guard part.allSatisfy({ $0 < 0x80 }) else { return nil }
            let name = String(Substring(part.trimmed)).lowercased()
            guard Self.isPattern(name) else { return nil }
            names.append(name)
        }
    }

    private init() {}

    /// - Parameter host: in lower case.
    package func has(_ host: String) -> Bool {
        names.contains { $0.hasPrefix("*.") ? host.hasSuffix($0.dropFirst()) : host == $0 }
    }

    /// Adds the host of a URL, also one that is an address.
    package mutating func add(_ url: WebURL) { names.append(url.host) }

    private static func isPattern(_ name: String) -> Bool {
        let host = name.hasPrefix("*.") ? name.dropFirst(2) : name[...]
        let labels = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard host.utf8.count <= 253, labels.allSatisfy(isLabel), !WebURL.isNumber(labels.last) else {
            return false
        }
        return host.count == name.count || labels.count > 1
    }

    private static func isLabel(_ label: Substring.UTF8View) -> Bool {
        let hyphen = UInt8(ascii: "-")
        return (1...63).contains(label.count) && label.first != hyphen && label.last != hyphen
            && label.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == hyphen }
    }
}
