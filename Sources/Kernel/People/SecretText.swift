import Crypto
import Foundation
package import Web

/// 256 random bits that somebody keeps, in a cookie or a link. The database keeps their SHA-256 alone, which
/// needs no salt: they cannot be guessed.
package struct SecretText: Hashable, Sendable {
    private static let bytes = 32

    /// 43 characters of base64url.
    package let text: String

    package init(world: World) {
        text = Base64URL.encode(world.randomBytes(Self.bytes))
    }

    /// Nil if the text cannot be one.
    package init?(_ text: some StringProtocol) {
        let letters = Array(text.utf8)
        guard letters.count == 43, let bytes = Base64URL.decode(letters[...]), bytes.count == Self.bytes
        else { return nil }
        self.text = String(text)
    }

    /// Returns the sign-in link that ends with this secret.
    package func signInURL(at console: String) -> String { "\(console)/sign-in/\(text)" }

    var sha256: [UInt8] { Array(SHA256.hash(data: Data(text.utf8))) }

    /// Derives a text for one purpose, which does not reveal this one.
    package func derived(for purpose: String) -> String {
        let key = SymmetricKey(data: Data(text.utf8))
        let code = HMAC<SHA256>.authenticationCode(for: Data(purpose.utf8), using: key)
        return Base64URL.encode(Array(code))
    }
}
