package import Web

/// The hosts whose pictures profiles may show: `KITH_AVATAR_HOSTS`. There are none unless the operator names
/// some.
package typealias AvatarHosts = HostPatterns

package extension HostPatterns {
    /// Returns the URL of a picture if pages may show it. The operator may have removed its host since it was
    /// set.
    func shown(_ url: String?) -> String? { url.flatMap { AvatarURL($0, allowed: self)?.text } }

    /// The sources for the `img-src` of the pages' Content-Security-Policy.
    var sources: [String] { names.map { "https://\($0)" } }
}

/// The URL of a user's picture: https, on an allowed host, at most 512 ASCII characters, without credentials,
/// fragment, or a port other than 443. Except for `&` it has only characters that need no escaping in HTML,
/// JSON and headers.
package struct AvatarURL: Sendable {
    let text: String

    package static let maxLength = 512

    /// Nil unless the text is such a URL.
    init?(_ text: String, allowed: AvatarHosts) {
        guard text.utf8.count <= Self.maxLength, text.hasPrefix("https://"), let url = try? WebURL(text),
            url.text == text, allowed.has(url.host), Self.isPathOrQuery(url.rest.utf8),
            ["", ":443"].contains(text.dropFirst(8 + url.host.utf8.count).dropLast(url.rest.utf8.count))
        else { return nil }
        self.text = text
    }

    /// Whether there are only RFC 3986's characters of a path and a query, without brackets and the single
    /// quote.
    private static func isPathOrQuery(_ bytes: String.UTF8View) -> Bool {
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
