import Foundation
import HTTPTypes
import Hummingbird

/// What a browser says about its visitor, for numbers.
extension Request {
    /// The first two or three letters of the language that it asks for first: `ja`. Nil if it names none.
    package var firstLanguage: String? {
        let letters = headers[.acceptLanguage]?.utf8.prefix(4).prefix(while: \.isASCIILetter) ?? "".utf8[...]
        return (2...3).contains(letters.count) ? String(decoding: letters, as: UTF8.self).lowercased() : nil
    }

    /// The host of the page that led here. Nil if it is this host, or not known.
    package var referringHost: String? {
        guard let referrer = headers[.referer], let start = referrer.range(of: "://")?.upperBound else {
            return nil
        }
        let host = referrer[start...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }.lowercased()
        let isHost =
            !host.isEmpty
            && host.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "-.:[]".utf8.contains($0) }
        return isHost && host != head.authority?.lowercased() ? host : nil
    }
}
