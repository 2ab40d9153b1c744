import Crypto
import Foundation
import Graph
import Kernel
import Web

/// What both a browser and an app on the same phone show. It is coarse on purpose.
struct VisitorFacts: Hashable, Sendable {
    let address: ClientAddress
    /// The version of the system: `18.6`.
    let osVersion: String
    /// The primary part of the language: `ja`.
    let language: String

    /// Nil unless all three are known.
    init?(address: ClientAddress?, osVersion: String?, language: String?) {
        guard let address, let version = osVersion.flatMap(Self.version),
            let language = language.flatMap(Self.primary).flatMap({ Language($0) })
        else { return nil }
        (self.address, self.osVersion, self.language) = (address, version, language.tag)
    }

    /// Returns the first two numbers, of at most three digits each.
    private static func version(_ text: String) -> String? {
        func number(_ text: Substring.UTF8View) -> Substring.UTF8View {
            text.prefix(3).prefix(while: \.isASCIIDigit)
        }
        let major = number(text.utf8[...])
        let rest = text.utf8[major.endIndex...]
        guard !major.isEmpty, rest.first == UInt8(ascii: ".") else { return nil }
        let minor = number(rest.dropFirst())
        return minor.isEmpty ? nil : String(text[..<minor.endIndex])
    }

    /// Returns the first two or three letters.
    private static func primary(_ text: String) -> String? {
        let letters = text.utf8.prefix(3).prefix {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20)
        }
        return letters.count < 2 ? nil : String(decoding: letters, as: UTF8.self)
    }

    /// - Parameter salt: a secret without which nobody can tell what was hashed.
    func hash(salt: [UInt8]) -> UUID {
        let parts = ["\(address.subject)", osVersion, language].map { Array($0.utf8) }
        let code = HMAC<SHA256>.authenticationCode(
            for: LengthPrefixed.write(parts), using: SymmetricKey(data: salt))
        return UUID(bytes: Array(code))
    }
}
