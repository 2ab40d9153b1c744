/// The hosts whose pictures profiles may show: `KITH_AVATAR_HOSTS`. None, unless the operator names some.
struct AvatarHosts: Equatable, Sendable {
    /// In lower case; `*.example.com` means every host below `example.com`.
    private(set) var names: [String] = []

    static let none = AvatarHosts()

    /// Names separated by commas; nil if one is no name of a host.
    init?(_ text: String) {
        for part in text.lowercased().split(separator: ",", omittingEmptySubsequences: false) {
            let name = String(part.trimmedOfSpaces)
            guard Self.isName(name) else { return nil }
            names.append(name)
        }
    }

    private init() {}

    private static func isName(_ name: String) -> Bool {
        guard name.hasPrefix("*.") else { return isHost(name[...]) }
        return name.dropFirst(2).contains(".") && isHost(name.dropFirst(2))
    }

    fileprivate static func isHost(_ text: Substring) -> Bool {
        text.utf8.count <= 253
            && text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
                (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                    && label.utf8.allSatisfy {
                        $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "-")
                    }
            }
    }

    /// Whether pages may show the picture at such a URL. The operator may have removed its host since it was set.
    func allow(_ url: String) -> Bool {
        guard let host = AvatarURL.host(of: url) else { return false }
        return names.contains { name in
            name.hasPrefix("*.") ? host.hasSuffix(name.dropFirst()) : host == name
        }
    }

    /// The URL of a picture, if pages may show it.
    func shown(_ url: String?) -> String? { url.flatMap { allow($0) ? $0 : nil } }

    /// For the `img-src` of the pages' Content-Security-Policy.
    var sources: [String] { names.map { "https://\($0)" } }
}

/// The URL of a user's picture: https, on an allowed host, at most 512 ASCII characters, without credentials, fragment, or a
/// port other than 443. It has only characters that need no escaping in HTML, JSON and headers, but for `&`.
struct AvatarURL: Sendable {
    let text: String

    static let maxLength = 512

    /// Nil unless the text is such a URL.
    init?(_ text: String, allowed: AvatarHosts) {
        guard text.utf8.count <= Self.maxLength, allowed.allow(text) else { return nil }
        self.text = text
    }

    /// The host of a URL of this form, in lower case; nil for any other text.
    fileprivate static func host(of url: String) -> String? {
        guard url.hasPrefix("https://") else { return nil }
        let rest = url.utf8.dropFirst(8)
        let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        guard isPathOrQuery(rest[authority.endIndex...]) else { return nil }
        let text = String(Substring(authority)).lowercased()
        let host = text.hasSuffix(":443") ? text.dropLast(4) : text[...]
        return AvatarHosts.isHost(host) ? String(host) : nil
    }

    /// RFC 3986's characters of a path and a query, without the single quote.
    private static func isPathOrQuery(_ bytes: Substring.UTF8View) -> Bool {
        var bytes = bytes.makeIterator()
        while let byte = bytes.next() {
            if byte == UInt8(ascii: "%") {
                guard let high = bytes.next(), let low = bytes.next(), high.isASCIIHexDigit,
                    low.isASCIIHexDigit
                else { return false }
            } else if !byte.isASCIILetter, !byte.isASCIIDigit, !"-._~!$&()*+,;=:@/?".utf8.contains(byte) {
                return false
            }
        }
        return true
    }
}

extension Substring {
    fileprivate var trimmedOfSpaces: Substring {
        let tail = drop { $0 == " " }
        return tail[..<(tail.lastIndex { $0 != " " }.map(tail.index(after:)) ?? tail.startIndex)]
    }
}
