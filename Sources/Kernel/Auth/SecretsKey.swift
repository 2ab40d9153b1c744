import Crypto
import Foundation

/// `KITH_SECRETS_KEY`: encrypts what Kith must read again and the database alone must not reveal, by AES-GCM.
package struct SecretsKey: Sendable {
    private let key: SymmetricKey

    /// Nil unless the text is 32 bytes in base64.
    package init?(_ base64: String) {
        guard let bytes = Data(base64Encoded: base64), bytes.count == 32 else { return nil }
        key = SymmetricKey(data: bytes)
    }

    /// Another key for one purpose, by HKDF; it does not tell this one.
    package func derived(for purpose: String, bytes: Int) -> [UInt8] {
        HKDF<SHA256>.deriveKey(inputKeyMaterial: key, info: Array(purpose.utf8), outputByteCount: bytes)
            .withUnsafeBytes(Array.init)
    }

    /// - Parameter place: where it will stand; it can be read for no other place.
    package func seal(_ secret: [UInt8], for place: String) throws -> [UInt8] {
        let box = try AES.GCM.seal(secret, using: key, authenticating: Array(place.utf8))
        // Nonce, ciphertext and tag; nil only for a nonce of unusual length.
        guard let combined = box.combined else { throw CryptoKitError.incorrectParameterSize }
        return Array(combined)
    }

    /// Tells whether two secrets are the same, and nothing else of them: 16 bytes, of no use without the key.
    package func mark(of secret: [UInt8], for place: String) -> [UInt8] {
        let own = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: key, info: Array("mark \(place)".utf8), outputByteCount: 32)
        return Array(HMAC<SHA256>.authenticationCode(for: secret, using: own).prefix(16))
    }

    /// Nil if another key sealed it, or for another place.
    package func open(_ sealed: [UInt8], for place: String) -> [UInt8]? {
        guard let box = try? AES.GCM.SealedBox(combined: sealed) else { return nil }
        return (try? AES.GCM.open(box, using: key, authenticating: Array(place.utf8))).map(Array.init)
    }
}
