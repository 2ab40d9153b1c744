/// An http or https URL that every browser reads alike, so that its host is where it leads.
struct WebURL: Hashable, Sendable {
    /// Visible ASCII, fit for `Location`.
    let text: String
    /// In lower case, without a dot at the end.
    let host: String
    /// What stands behind host and port.
    let rest: String

    /// Why a text is none.
    enum Fault: Error {
        /// Another scheme, or none.
        case scheme
        /// Anything else that browsers refuse, repair, or read in different ways.
        case malformed
    }

    /// Characters that URLs may not have, but which do no harm behind the host, such as those of other scripts, are
    /// percent-encoded, as browsers do.
    init(_ given: String) throws(Fault) {
        guard let (scheme, rest) = Self.split(given) else { throw .scheme }
        let authority = rest.prefix { !"/?#".utf8.contains($0) }
        guard let host = Self.host(authority) else { throw .malformed }
        var path: [UInt8] = []
        for byte in rest[authority.endIndex...] {
            // Browsers leave out tabs and line ends, and take `\` for `/`.
            guard byte > 0x20 || byte == 0x20, byte != 0x7F, byte != UInt8(ascii: "\\") else {
                throw .malformed
            }
            if byte.isVisibleASCII, !#""<>`{|}^"#.utf8.contains(byte) {
                path.append(byte)
            } else {
                path += PercentEncoding.escape(byte)
            }
        }
        self.rest = String(decoding: path, as: UTF8.self)
        text = "\(scheme)://\(String(decoding: authority, as: UTF8.self))\(self.rest)"
        self.host = host
    }

    /// The scheme, and what stands behind `://`.
    private static func split(_ text: String) -> (scheme: String, rest: Substring.UTF8View)? {
        for scheme in ["https", "http"] {
            let mark = "\(scheme)://".utf8
            let start = text.utf8.prefix(mark.count)
            guard start.count == mark.count,
                zip(start, mark).allSatisfy({ $0 == $1 || $0 | 0x20 == $1 && $1.isASCIILetter })
            else { continue }
            return (scheme, text.utf8.dropFirst(mark.count))
        }
        return nil
    }

    /// Nil unless it is a name or an address, perhaps with a port: no user, and nothing encoded or of another script.
    private static func host(_ authority: Substring.UTF8View) -> String? {
        // Without a regular expression, which would be parsed at each visit of a link.
        let isAddress = authority.first == UInt8(ascii: "[")
        let bracket = authority.firstIndex(of: UInt8(ascii: "]")).map(authority.index(after:))
        let end = (isAddress ? bracket : authority.firstIndex(of: UInt8(ascii: ":"))) ?? authority.endIndex
        let (given, port) = (authority[..<end], authority[end...])
        let isSound =
            isAddress
            ? given.last == UInt8(ascii: "]") && given.count > 2
                && given.dropFirst().dropLast().allSatisfy { $0.isASCIIHexDigit || ":.".utf8.contains($0) }
            : given.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "._-".utf8.contains($0) }
        guard isSound, port.isEmpty || port.first == UInt8(ascii: ":") && (2...6).contains(port.count),
            port.dropFirst().allSatisfy(\.isASCIIDigit)
        else { return nil }
        let name = String(decoding: given, as: UTF8.self).lowercased()
        let host = name.hasSuffix(".") ? String(name.dropLast()) : name
        return host.isEmpty || host.hasPrefix(".") || host.contains("..") ? nil : host
    }
}

extension WebURL {
    /// Of the URL, as it stands there.
    var query: String? {
        rest.prefix { $0 != "#" }.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
            .dropFirst().first.map(String.init)
    }
}
