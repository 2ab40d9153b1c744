/// An http or https URL that every browser reads alike, so that its host is where it leads.
package struct WebURL: Hashable, Sendable {
    /// The URL in visible ASCII, fit for `Location`.
    package let text: String
    /// The host in lower case, without a dot at the end.
    package let host: String
    /// The port. Nil for the usual one of the scheme.
    package let port: Int?
    /// Whether the scheme is https.
    package let isSecure: Bool
    /// The part behind host and port.
    package let rest: String

    /// Why a text is not such a URL.
    package enum Fault: Error {
        /// The URL has another scheme, or none.
        case scheme
        /// The URL has anything else that browsers refuse, repair, or read in different ways.
        case malformed
    }

    /// The length of the longest URL that a visitor can open, in bytes.
    package static let longest = 8192

    /// Characters that URLs may not have, but which do no harm behind the host, such as those of other
    /// scripts, are percent-encoded, as browsers do. A text above `longest` is malformed: nobody can have
    /// opened such a link, and its sender only wants to keep the server busy.
    package init(_ given: String) throws(Fault) {
        guard given.utf8.count <= Self.longest else { throw .malformed }
        try self.init(composed: given)
        guard text.utf8.count <= Self.longest else { throw .malformed }
    }

    /// A URL that Kith composed. It may be longer than `longest`.
    package init(composed given: String) throws(Fault) {
        let bytes = Array(given.utf8)
        guard let scheme = Self.schemes.first(where: { Self.begins(bytes, with: $0) }) else { throw .scheme }
        let rest = bytes[scheme.count...]
        let authority = rest.prefix { !Self.ends.contains($0) }
        guard let (host, port) = Self.hostAndPort(authority) else { throw .malformed }
        var text = scheme + authority
        let start = text.count
        let kept = Self.kept
        for byte in rest[authority.endIndex...] {
            // Browsers leave out tabs and line ends, and take `\` for `/`.
            guard byte >= 0x20, byte != 0x7F, byte != UInt8(ascii: "\\") else { throw .malformed }
            if kept.contains(byte) { text.append(byte) } else { PercentEncoding.escape(byte, into: &text) }
        }
        self.text = String(decoding: text, as: UTF8.self)
        self.rest = String(decoding: text[start...], as: UTF8.self)
        self.host = host
        isSecure = scheme == Self.schemes[0]
        self.port = port == (isSecure ? 443 : 80) ? nil : port
    }

    /// A URL that needs no encoding, as operators write it in settings and files. Nil for any other text.
    package init?(written text: String) {
        guard let url = try? WebURL(text), url.text.lowercased() == text.lowercased() else { return nil }
        self = url
    }

    private static let schemes = ["https://", "http://"].map { Array($0.utf8) }
    /// The characters that end a host and port.
    private static let ends: ASCIISet = "/?#"
    private static let kept = ASCIISet.alphanumeric + "-._~:/?#[]@!$&'()*+,;=%"

    /// Whether the text begins with the scheme, in upper or lower case.
    private static func begins(_ bytes: [UInt8], with scheme: [UInt8]) -> Bool {
        bytes.count >= scheme.count
            && zip(bytes, scheme).allSatisfy { $0 == $1 || $0 | 0x20 == $1 && $1.isASCIILetter }
    }

    private static let ofAddress: ASCIISet = "0123456789abcdefABCDEF:."
    private static let ofName = ASCIISet.alphanumeric + "._-"

    /// Returns host and port. Nil unless the host is a name or an address, perhaps with a port, without a
    /// user, and with nothing encoded or of another script.
    private static func hostAndPort(_ authority: ArraySlice<UInt8>) -> (host: String, port: Int?)? {
        // There is no regular expression here, since it would be parsed at each visit of a link.
        let isAddress = authority.first == UInt8(ascii: "[")
        let bracket = authority.firstIndex(of: UInt8(ascii: "]")).map { $0 + 1 }
        let end = (isAddress ? bracket : authority.firstIndex(of: UInt8(ascii: ":"))) ?? authority.endIndex
        let (given, port) = (authority[..<end], authority[end...])
        let isSound =
            isAddress
            ? given.last == UInt8(ascii: "]") && given.count > 2
                && given.dropFirst().dropLast().allSatisfy(Self.ofAddress.contains)
            : given.allSatisfy(Self.ofName.contains)
        guard isSound, port.isEmpty || port.first == UInt8(ascii: ":") && (2...6).contains(port.count),
            port.dropFirst().allSatisfy(\.isASCIIDigit)
        else { return nil }
        let number = port.dropFirst().reduce(0) { 10 * $0 + Int($1 - UInt8(ascii: "0")) }
        let name = String(decoding: given, as: UTF8.self).lowercased()
        let host = name.hasSuffix(".") ? String(name.dropLast()) : name
        guard port.isEmpty || (1...65_535).contains(number), isUsual(host) else { return nil }
        return (host, port.isEmpty ? nil : number)
    }

    /// Whether a name has no empty part, and an address is in its usual form. Systems read `2130706433`,
    /// `0177.1` and `0x7f.1` as addresses, each in its own way.
    private static func isUsual(_ host: String) -> Bool {
        if host.hasPrefix("[") { return ClientAddress(host.dropFirst().dropLast()) != nil }
        let labels = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard labels.allSatisfy({ !$0.isEmpty }) else { return false }
        return !isNumber(labels.last) || ClientAddress(host) != nil
    }

    /// Whether a host that ends in this label is an address
    /// (https://url.spec.whatwg.org/#ends-in-a-number-checker).
    static func isNumber(_ label: Substring.UTF8View?) -> Bool {
        guard let label else { return false }
        return label.starts(with: "0x".utf8) || label.allSatisfy(\.isASCIIDigit)
    }
}

package extension WebURL {
    /// Scheme, host and port as browsers compare them: in lower case, without the usual port.
    var origin: String { "\(isSecure ? "https" : "http")://\(host)\(port.map { ":\($0)" } ?? "")" }

    /// Whether browsers take both for the same origin.
    func hasOrigin(of other: WebURL) -> Bool {
        host == other.host && port == other.port && isSecure == other.isSecure
    }

    /// The query as it stands in the URL. Nil if it is empty.
    var query: String? {
        let query = beforeFragment.drop { $0 != UInt8(ascii: "?") }
        return query.isEmpty ? nil : String(Substring(query.dropFirst()))
    }

    /// The fragment as it stands in the URL. Nil if it is empty.
    var fragment: String? {
        let fragment = rest.utf8.drop { $0 != UInt8(ascii: "#") }.dropFirst()
        return fragment.isEmpty ? nil : String(Substring(fragment))
    }

    /// The path as it stands in the URL.
    var path: Substring { Substring(beforeFragment.prefix { $0 != UInt8(ascii: "?") }) }

    private var beforeFragment: Substring.UTF8View { rest.utf8.prefix { $0 != UInt8(ascii: "#") } }

    /// The path, without the segments `.` and `..`, which browsers resolve before they ask (RFC 3986 §5.2.4).
    var resolvedPath: String {
        var kept: [Substring] = []
        for segment in path.split(separator: "/", omittingEmptySubsequences: false) {
            // No other segment begins with one of these bytes, and each segment is copied here.
            let mayBeDots = [UInt8(ascii: "."), UInt8(ascii: "%")].contains(segment.utf8.first)
            switch mayBeDots ? segment.lowercased().replacing("%2e", with: ".") : "" {
            case ".": continue
            case "..": if kept.count > 1 { kept.removeLast() }
            default: kept.append(segment)
            }
        }
        return kept.joined(separator: "/")
    }
}

extension String {
    /// The URL with `***` in place of a user and password.
    package var withoutLogin: String { replacing(/:\/\/[^\/?#]*@/, with: "://***@") }
}

extension WebURL {
    /// Whether nobody on the way can read or change what goes there: https, or this machine.
    package var isSecureOrLocal: Bool { isSecure || ["127.0.0.1", "localhost", "[::1]"].contains(host) }
}
