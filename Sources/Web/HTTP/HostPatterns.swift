/// Names of hosts that an operator lists, as in `cdn.example.org,*.example.com`. All such settings are read
/// here. The names are compared with the host of a URL, never with its text.
package struct HostPatterns: Hashable, Sendable {
    /// The names in lower case. `*.example.com` means every host below `example.com`.
    package private(set) var names: [String] = []

    package static let none = HostPatterns()

    /// The form that a text must have, for error messages.
    package static let form =
        "names of hosts separated by commas, as in cdn.example.org,*.example.com, without ports, addresses and other scripts "
        + "(xn--…)"

    /// Nil if a part is not the name of a host, or would mean all hosts below a top-level domain.
    package init?(_ text: String) {
        for part in text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            // Lower-casing turns some letters of other scripts into ASCII.
            guard part.allSatisfy({ $0 < 0x80 }) else { return nil }
            let name = String(Substring(part.trimmed)).lowercased()
            guard Self.isPattern(name) else { return nil }
            names.append(name)
        }
    }

    private init() {}

    /// - Parameter host: a name in lower case.
    package func has(_ host: String) -> Bool {
        names.contains { $0.hasPrefix("*.") ? host.hasSuffix($0.dropFirst()) : host == $0 }
    }

    /// Adds the host of a URL, even if it is an address.
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
