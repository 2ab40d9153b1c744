import HTTPTypes
package import Hummingbird

extension Request {
    /// Returns the value of the cookie of exactly this name. Nil if there is none, or more than one: somebody
    /// else put one of them there.
    ///
    /// Blanks around a name are those of RFC 6265 (§5.4), space and tab. Unicode knows more, and a browser
    /// lets any site of the domain set a name that begins with such a blank, whatever its prefix says.
    package func cookie(_ name: String) -> String? {
        let found = headers[values: .cookie].flatMap { $0.utf8.split(separator: UInt8(ascii: ";")) }
            .compactMap { pair -> String? in
                let pair = pair.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
                guard let equals = pair.firstIndex(of: UInt8(ascii: "=")),
                    pair[..<equals].elementsEqual(name.utf8)
                else { return nil }
                return String(pair[pair.index(after: equals)...])
            }
        return found.count == 1 ? found[0] : nil
    }
}
